/**
 * `keyward.yaml`: how a policy set is asked. It lies at the root of the policies, so it is locked and hashed with them.
 * docs/configuration.md explains the fields.
 */

import { CERBOS_LEVELS, type CerbosLevel } from "../../cel/levels.js";
import { didYouMean } from "../distance.js";
import type { SourcePosition } from "../issue.js";
import type { IssueLog } from "../issue-log.js";
import { Source } from "../text/source.js";
import type { MapNode, TreeNode } from "../text/tree.js";
import { parseYaml } from "../text/yaml.js";
import { type Globals, globalsIn } from "./globals.js";
import { CONFIGURATION_FIELDS, ENFORCEMENTS, LAYER_FIELDS, UNLISTED } from "./schema.js";

/** The fields of `keyward.yaml`; a field that is not written is undefined. */
export interface PolicyConfiguration {
  /** The path of the file. */
  readonly file: string;
  readonly layers: ConfiguredLayers | undefined;
  /** `none`: the set has no platform layer. */
  readonly platform: "none" | UnlistedKinds | undefined;
  readonly globals: Globals | undefined;
  readonly schemaEnforcement: (typeof ENFORCEMENTS)[number] | undefined;
  readonly typedReads: boolean | undefined;
  readonly lenientScopeSearch: boolean | undefined;
  /** The level of the policy language. */
  readonly cerbos: CerbosLevel | undefined;
  /** The roles that keys can have. */
  readonly roles: readonly string[] | undefined;
  readonly title: string | undefined;
  readonly owner: string | undefined;
  readonly purpose: string | undefined;
  readonly controls: readonly ClauseControls[] | undefined;
}

/** A clause that rules carry (`src/audit/clauses.ts`), and the names of the controls that it serves. */
export interface ClauseControls {
  readonly clause: string;
  readonly controls: readonly string[];
  readonly at: SourcePosition;
}

/** The versions of the layers, and versions that are meant to be in neither. */
export interface ConfiguredLayers {
  readonly permission: string | undefined;
  readonly platform: string | undefined;
  readonly others: readonly string[] | undefined;
}

/** Whether the platform supports kinds that have no platform policy. */
export interface UnlistedKinds {
  readonly unlisted: (typeof UNLISTED)[number];
  readonly at: SourcePosition;
}

/** The configuration in a file. Undefined: it is refused, and `log` has the reasons. */
export function readConfiguration(path: string, text: string, log: IssueLog): PolicyConfiguration | undefined {
  const before = log.size;
  const source = new Source(path, text);
  const tree = parseYaml(source, log);
  if (log.size > before) return undefined;
  if (tree === undefined || tree.kind !== "map") {
    log.error("shape", source.position(tree?.start ?? 0), "the file must be a mapping of fields to values");
    return undefined;
  }
  const configuration = new ConfigurationReader(source, log).read(tree);
  return log.size > before ? undefined : configuration;
}

const NO_PLATFORM = ["none"] as const;

class ConfigurationReader {
  private readonly source: Source;
  private readonly log: IssueLog;

  constructor(source: Source, log: IssueLog) {
    this.source = source;
    this.log = log;
  }

  read(root: MapNode): PolicyConfiguration {
    this.known(root, CONFIGURATION_FIELDS);
    const layers = this.map(root, "layers");
    const globals = this.map(root, "globals");
    return {
      file: this.source.file,
      layers: layers && this.layers(layers),
      platform: this.platform(root),
      globals: globals && globalsIn(globals, this.source, this.log),
      schemaEnforcement: this.word(root, "schemaEnforcement", ENFORCEMENTS),
      typedReads: this.flag(root, "typedReads"),
      lenientScopeSearch: this.flag(root, "lenientScopeSearch"),
      cerbos: this.word(root, "cerbos", CERBOS_LEVELS),
      roles: this.names(root, "roles"),
      title: this.text(root, "title"),
      owner: this.text(root, "owner"),
      purpose: this.text(root, "purpose"),
      controls: this.controls(root),
    };
  }

  private controls(root: MapNode): PolicyConfiguration["controls"] {
    const controls = this.map(root, "controls");
    return (
      controls &&
      [...controls.entries].map(([clause, { key }]) => ({
        clause,
        controls: this.controlsOf(controls, clause),
        at: this.source.position(key.start),
      }))
    );
  }

  /** The controls of a clause: at least one, each once. */
  private controlsOf(controls: MapNode, clause: string): readonly string[] {
    const value = controls.entries.get(clause)?.value;
    const names = this.names(controls, clause) ?? [];
    if (value?.kind !== "list") return names;
    if (value.items.length === 0) this.wrong(value, `\`${clause}\` must name a control`);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) this.wrong(value, `\`${clause}\` names the control ${twice} twice`);
    return names;
  }

  private layers(layers: MapNode): ConfiguredLayers {
    this.known(layers, LAYER_FIELDS);
    return {
      permission: this.text(layers, "permission"),
      platform: this.text(layers, "platform"),
      others: this.names(layers, "others"),
    };
  }

  private platform(root: MapNode): PolicyConfiguration["platform"] {
    const value = root.entries.get("platform")?.value;
    if (value?.kind !== "map") return this.word(root, "platform", NO_PLATFORM);
    this.known(value, ["unlisted"]);
    const unlisted = this.word(value, "unlisted", UNLISTED);
    if (unlisted !== undefined)
      return { unlisted, at: this.source.position(value.entries.get("unlisted")?.key.start ?? value.start) };
    if (!value.entries.has("unlisted"))
      this.wrong(value, `\`platform\` must be none, or a mapping with the field \`unlisted\``);
    return undefined;
  }

  /** A field with one of these words. */
  private word<T extends string>(node: MapNode, field: string, words: readonly T[]): T | undefined {
    const value = node.entries.get(field)?.value;
    if (value === undefined) return undefined;
    const found = value.kind === "scalar" ? words.find((word) => word === value.data) : undefined;
    if (found !== undefined) return found;
    const given = value.kind === "scalar" ? value.data : "";
    const hint = typeof given === "string" ? didYouMean(given, words) : undefined;
    const isUnquoted = words.some((word) => word === String(given));
    this.wrong(value, `\`${field}\` must be ${words.join(" or ")}`, isUnquoted ? "quote it" : hint);
    return undefined;
  }

  private flag(node: MapNode, field: string): boolean | undefined {
    const value = node.entries.get(field)?.value;
    if (value === undefined) return undefined;
    if (value.kind === "scalar" && typeof value.data === "boolean") return value.data;
    this.wrong(value, `\`${field}\` must be true or false`);
    return undefined;
  }

  private text(node: MapNode, field: string): string | undefined {
    const value = node.entries.get(field)?.value;
    return value === undefined ? undefined : this.textOf(value, field);
  }

  private names(node: MapNode, field: string): readonly string[] | undefined {
    const value = node.entries.get(field)?.value;
    if (value === undefined) return undefined;
    if (value.kind === "list") return value.items.flatMap((item) => this.textOf(item, field) ?? []);
    this.wrong(value, `\`${field}\` must be a list of texts`);
    return undefined;
  }

  private textOf(value: TreeNode, field: string): string | undefined {
    if (value.kind === "scalar" && typeof value.data === "string" && value.data.trim() !== "") return value.data;
    this.wrong(value, value.kind === "scalar" ? `\`${field}\` must be text: quote it` : `\`${field}\` must be text`);
    return undefined;
  }

  private map(node: MapNode, field: string): MapNode | undefined {
    const value = node.entries.get(field)?.value;
    if (value === undefined || value.kind === "map") return value;
    this.wrong(value, `\`${field}\` must be a mapping`);
    return undefined;
  }

  private known({ entries }: MapNode, fields: readonly string[]): void {
    for (const [name, { key }] of entries) {
      if (fields.includes(name)) continue;
      this.log.error("shape", this.source.position(key.start), `unknown field ${name}`, didYouMean(name, fields));
    }
  }

  private wrong({ start }: TreeNode, message: string, hint?: string): void {
    this.log.error("shape", this.source.position(start), message, hint);
  }
}
