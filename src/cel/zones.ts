/**
 * Time zones by name or by numeric offset, as in `getHours("America/New_York")` and `getHours("-05:30")`. Named zones
 * come from the platform (`Intl`), which is lenient about spelling where Go is strict.
 */

import { daysFromCivil } from "./time.js";

/** Limit on the cached formatters; the oldest is evicted. */
const MAX_ZONES = 64;

/** Zones with names all in capitals, besides `EST5EDT` and the like. */
const CAPITALS = new Set(
  "CET EET EST GB GMT HST MET MST NZ PRC ROC ROK UCT UTC WET CST6CDT EST5EDT MST7MDT PST8PDT".split(" "),
);
/** Capitals that occur only beside others: `Australia/ACT`, `NZ-CHAT`, `US/Central`. */
const CAPITAL_PARTS = new Set("ACT CHAT LHI NSW SU US W".split(" "));
const LOWER = new Set(["of", "es", "au"]);
const CAPITALISED = /^[A-Z][a-z]+(?:[A-Z][a-z]*)*$/;
const GMT_OFFSET = /^(?:GMT)?[0-9]{0,2}$/;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The most recent instant that was converted, in seconds, and its offset. */
  seconds: number;
  offset: number;
}

const zones = new Map<string, Zone | undefined>();

/** The seconds east of UTC at an instant (seconds since 1970); `undefined` for an unknown zone. */
export function offsetAt(zone: string, seconds: number): number | undefined {
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  if (zone.includes(":")) return parseNumericZone(zone);
  const known = zoneNamed(zone);
  if (known === undefined) return undefined;
  if (known.seconds !== seconds) {
    known.offset = localSeconds(known.format, seconds) - seconds;
    known.seconds = seconds;
  }
  return known.offset;
}

/** `hh:mm`, with signs where Go's `Atoi` accepts them. Minutes are subtracted if the text starts with a minus. */
function parseNumericZone(zone: string): number | undefined {
  const parts = /^([+-]?[0-9]{1,5}):([+-]?[0-9]{1,5})$/.exec(zone);
  if (parts === null) return undefined;
  const hours = Number(parts[1]);
  const minutes = Number(parts[2]);
  return (zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function zoneNamed(name: string): Zone | undefined {
  if (zones.has(name)) return zones.get(name);
  const zone = isSpelledRight(name) ? openZone(name) : undefined;
  if (zones.size >= MAX_ZONES) {
    for (const oldest of zones.keys()) {
      zones.delete(oldest);
      break;
    }
  }
  zones.set(name, zone);
  return zone;
}

/** Whether the name has the capitals of an IANA name. `Intl` accepts `utc` and `america/new_york`; Go does not. */
function isSpelledRight(name: string): boolean {
  if (name.length > 64) return false;
  const words = name.split(/[/_+-]/);
  return words.every(
    (word) =>
      CAPITALISED.test(word) ||
      CAPITALS.has(word) ||
      LOWER.has(word) ||
      GMT_OFFSET.test(word) ||
      (words.length > 1 && CAPITAL_PARTS.has(word)),
  );
}

function openZone(timeZone: string): Zone | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    return { format, seconds: Number.NaN, offset: 0 };
  } catch {
    // `Intl` has no other way to report an unknown zone.
    return undefined;
  }
}

/** The zone's wall clock at an instant, read as if it were UTC. */
function localSeconds(format: Intl.DateTimeFormat, seconds: number): number {
  const fields = new Map(format.formatToParts(seconds * 1000).map((part) => [part.type, part.value]));
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(fields.get(type));
  const isBeforeChrist = fields.get("era")?.startsWith("B") === true;
  const year = isBeforeChrist ? 1 - field("year") : field("year");
  const days = daysFromCivil(year, field("month"), field("day"));
  return days * 86_400 + field("hour") * 3600 + field("minute") * 60 + field("second");
}
