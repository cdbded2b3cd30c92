/** Lists with empty places. A hole would read from `Array.prototype`, so empty places hold `undefined`. */

/** Undefined for an empty place, and for a negative number. */
export function at<T>(list: readonly (T | undefined)[], place: number): T | undefined {
  return place >= 0 && place < list.length ? list[place] : undefined;
}

export function put<T>(list: (T | undefined)[], place: number, value: T): T {
  while (list.length <= place) list.push(undefined);
  list[place] = value;
  return value;
}
