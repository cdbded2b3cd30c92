/**
 * Of each class or shape whose objects live no longer than a decision, one object is kept.
 *
 * What V8 has compiled for objects of a class it throws away when garbage is collected and none of them is left. Then
 * decisions take twenty times as long, until thousands of them have made it compile all anew.
 */
const kept: object[] = [];

export function keepOne(of: object): void {
  kept.push(of);
}
