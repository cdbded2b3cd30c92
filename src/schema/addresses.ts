/** IP addresses as text. */

export function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIpv6(text: string): boolean {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return false;
  const before = groupsOf(head, tail === undefined);
  return tail === undefined ? before === 8 : before + groupsOf(tail, true) < 8;
}

/**
 * The number of 16-bit groups in a part of an address; NaN if the part is invalid. The last part may end in an IPv4
 * address.
 */
function groupsOf(part: string, last: boolean): number {
  if (part === "") return 0;
  const groups = part.split(":");
  const end = groups.at(-1) ?? "";
  const embedded = last && end.includes(".");
  if (embedded && !isIpv4(end)) return Number.NaN;
  const hex = embedded ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return Number.NaN;
  return hex.length + (embedded ? 2 : 0);
}
