/** Lists with places that may be empty. A hole would read from `Array.prototype`, so lists have none. */

/** Undefined for an empty place, and for a negative number. */
export function at<T>(list: readonly (T | undefined)[], place: number): T | undefined {
  return place >= 0 && place < list.length ? list[place] : undefined;
}

/** Puts a value in a place, and returns it. */
export function put<T>(list: (T | undefined)[], place: number, value: T): T {
  while (list.length <= place) list.push(undefined);
  list[place] = value;
  return value;
}
