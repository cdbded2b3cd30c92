/**
 * Keeps one object of each class or shape that decisions make and drop.
 *
 * V8 discards the code compiled for a shape when it collects the last object of that shape. Decisions then take up to twenty
 * times as long, until V8 has compiled the code again.
 */
const kept: object[] = [];

export function keepShapeAlive(of: object): void {
  kept.push(of);
}
