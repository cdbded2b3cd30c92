/** The data that the page embeds for its panel. */

import type { JsonValue } from "../../../cel/json.js";
import type { RequestForms } from "../forms.js";

export interface PanelData {
  /** There is no platform layer, and so no account. */
  readonly permissionOnly: boolean;
  readonly roles: readonly string[];
  readonly operations: readonly { readonly kind: string; readonly operation: string }[];
  readonly forms: RequestForms;
  readonly examples: readonly { readonly name: string; readonly request: JsonValue }[];
}

export function panelData(text: string): PanelData {
  return JSON.parse(text);
}
