/** IP addresses as text. */

export function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIpv6(text: string): boolean {
  const [head = "", tail, ...more] = text.split("::");
  if (!text.includes(":") || more.length > 0) return false;
  const [before, after] = [groupsOf(head, tail === undefined), groupsOf(tail ?? "", true)];
  if (before === undefined || after === undefined) return false;
  return tail === undefined ? before === 8 : before + after < 8;
}

/** How many groups of 16 bits a part of an address has; the last part may end in an IPv4 address. */
function groupsOf(part: string, last: boolean): number | undefined {
  if (part === "") return 0;
  const groups = part.split(":");
  const end = groups.at(-1) ?? "";
  const embedded = last && end.includes(".");
  if (embedded && !isIpv4(end)) return undefined;
  const hex = embedded ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return hex.length + (embedded ? 2 : 0);
}
