/**
 * `keyward/audit`: decisions explained, policy sets compared by their decisions, and reviewed. Runs in Node and in
 * browsers.
 */

export { type Proofs, type ProveOptions, proveClaims } from "../proof/claims/prove.js";
export { readClaims } from "../proof/claims/read.js";
export type { Claim, ClaimResult, Proved } from "../proof/claims/types.js";
export { type CanOptions, whatCan } from "./can/can.js";
export { canCsv, canText } from "./can/text.js";
export type { OperationPower, WhatCan } from "./can/types.js";
export type { DiffOptions, SearchDiffOptions } from "./diff/diff.js";
export { diffText } from "./diff/text.js";
export type {
  DecisionChange,
  PolicyDiff,
} from "./diff/types.js";
export { diffPolicies, searchDecisionChanges } from "./diff/versions.js";
export { type Explanation, explain } from "./explain/explain.js";
export { explanationText } from "./explain/text.js";
export type { Finding, FindingCode } from "./findings/finding.js";
export { type FindingOptions, findingsOf } from "./findings/findings.js";
export { provenFindings } from "./findings/proven.js";
export { isKnownPermission, isKnownRole, type KnownPermission, knownPermissions } from "./known-permissions.js";
export { type PageOptions, reviewHtml } from "./review/html/page.js";
export { reviewMarkdown } from "./review/markdown.js";
export { type ReviewOptions, review } from "./review/review.js";
export { type ReviewTests, reviewTests } from "./review/tested.js";
export type { Review } from "./review/types.js";
export { type RuleRead, readsOfRules } from "./rule-reads.js";
export { type PaintText, PLAIN_TEXT } from "./style.js";
export { whoText } from "./who/text.js";
export type { OperationWays, WhoMay } from "./who/types.js";
export { type WhoOptions, whoMay } from "./who/who.js";
