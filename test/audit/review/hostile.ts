/** Policies with hostile names: each imitates markup, code or commands. */

import type { PolicyFile } from "../../../src/index.js";

const SCRIPT = "<script>window.pwned = 1</script>";
const IMAGE = `"'><img src=x onerror="window.pwned = 2">`;
const CLOSE = "</script><!--</style></pre>";
const TURNED = "safe\u202egnp.exe\u200b";

export const HOSTILE_MARKS = [SCRIPT, IMAGE, CLOSE, "safe\\u202egnp.exe\\u200b"];

export const HOSTILE_FILES: readonly PolicyFile[] = [
  {
    path: `a${SCRIPT}.json`,
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      metadata: { annotations: { "keyward.clause": IMAGE } },
      resourcePolicy: {
        resource: `doc<b>${"</table>"}`,
        version: "default",
        schemas: { resourceSchema: { ref: "cerbos:///doc.json" }, principalSchema: { ref: "cerbos:///doc.json" } },
        constants: { local: { tricky: [CLOSE, TURNED, { $map: [[1, 2]], $expression: 0, __proto__x: 1 }] } },
        variables: { local: { named: `R.attr.x == ${JSON.stringify(SCRIPT)} && R.id in C.tricky` } },
        rules: [
          {
            actions: [SCRIPT, IMAGE, "`x` | [a](javascript:alert(1))"],
            roles: [TURNED, "__proto__"],
            effect: "EFFECT_ALLOW",
          },
          {
            name: "r",
            actions: [CLOSE, TURNED],
            roles: [IMAGE],
            effect: "EFFECT_ALLOW",
            condition: { match: { expr: `V.named || R.attr["${CLOSE}"] == '${CLOSE}'` } },
          },
        ],
      },
    }),
  },
  {
    path: "platform.json",
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      metadata: { annotations: { "keyward.clause": IMAGE } },
      resourcePolicy: {
        resource: `doc<b>${"</table>"}`,
        version: "platform",
        rules: [
          { actions: ["*"], roles: ["account"], effect: "EFFECT_ALLOW" },
          {
            name: "no",
            actions: [SCRIPT],
            roles: ["account"],
            effect: "EFFECT_DENY",
            condition: { match: { expr: "R.attr.x == P.attr.y" } },
            output: { when: { ruleActivated: JSON.stringify(IMAGE) } },
          },
        ],
      },
    }),
  },
  {
    path: "_schemas/doc.json",
    text: JSON.stringify({
      properties: {
        [SCRIPT]: { type: "string", description: IMAGE },
        x: { enum: [SCRIPT, TURNED, CLOSE] },
        id: { type: "boolean" },
        __proto: { type: "object", properties: { [IMAGE]: { type: "boolean" } } },
      },
    }),
  },
];
