/**
 * `keyward/audit`: decisions explained, policy sets compared by their decisions, and reviewed. Runs in Node and in
 * browsers.
 */

export type { DecisionTrace } from "../decisions/trace.js";
export type {
  ConditionState,
  ConditionTrace,
  DerivedRoleTrace,
  ExpressionTrace,
  LayerTrace,
  OutputTrace,
  PolicyTrace,
  RoleTrace,
  RuleState,
  RuleTrace,
  VariableTrace,
} from "../engine/observe/types.js";
export type { RequestJson } from "../space/draft.js";
export { type DiffOptions, diffPolicies, type ProvenDiffOptions, provenDiff } from "./diff/diff.js";
export { diffText } from "./diff/text.js";
export type {
  Change,
  ChangeClass,
  Circumstance,
  DiffResult,
  Gap,
  PolicyDiff,
  Side,
  SilentChange,
  Unproven,
} from "./diff/types.js";
export type { Alternative, Alternatives } from "./explain/changes.js";
export type { Edit } from "./explain/edits.js";
export { type Explanation, explain } from "./explain/explain.js";
export { explanationText } from "./explain/text.js";
export type { Finding, FindingCode, FindingSeverity } from "./findings/finding.js";
export { type FindingOptions, findingsOf } from "./findings/findings.js";
export { provenFindings } from "./findings/proven.js";
export { isKnownPermission, isKnownRole, type KnownPermission, knownPermissions } from "./known-permissions.js";
export type { Cell, Chance, OperationFacts, ScopeFacts } from "./operations/types.js";
export type { LayerName } from "./policies.js";
export { type Example, type PageOptions, reviewHtml } from "./review/html/page.js";
export { reviewMarkdown } from "./review/markdown.js";
export { type ReviewOptions, review, type TestedOperation } from "./review/review.js";
export { testedOperations } from "./review/tested.js";
export type {
  ConditionFacts,
  DerivedRoleFacts,
  FileFacts,
  NameFacts,
  Place,
  Review,
  RuleFacts,
} from "./review/types.js";
export { type RuleRead, readsOfRules } from "./rule-reads.js";
export { type Look, type Paint, PLAIN } from "./style.js";
export { whoText } from "./who/text.js";
export type { AllowedWay, OperationWays, Said, UnshownWay, WhoMay } from "./who/types.js";
export { type WhoOptions, whoMay } from "./who/who.js";
export type { Part, Phrase, Words } from "./words/phrase.js";
