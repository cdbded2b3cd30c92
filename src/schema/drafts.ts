/** The meta-schemas of JSON Schema, draft by draft, as ajv ships them. */

import applicator2019 from "ajv/dist/refs/json-schema-2019-09/meta/applicator.json" with { type: "json" };
import content2019 from "ajv/dist/refs/json-schema-2019-09/meta/content.json" with { type: "json" };
import core2019 from "ajv/dist/refs/json-schema-2019-09/meta/core.json" with { type: "json" };
import format2019 from "ajv/dist/refs/json-schema-2019-09/meta/format.json" with { type: "json" };
import metaData2019 from "ajv/dist/refs/json-schema-2019-09/meta/meta-data.json" with { type: "json" };
import validation2019 from "ajv/dist/refs/json-schema-2019-09/meta/validation.json" with { type: "json" };
import draft2019 from "ajv/dist/refs/json-schema-2019-09/schema.json" with { type: "json" };
import applicator2020 from "ajv/dist/refs/json-schema-2020-12/meta/applicator.json" with { type: "json" };
import content2020 from "ajv/dist/refs/json-schema-2020-12/meta/content.json" with { type: "json" };
import core2020 from "ajv/dist/refs/json-schema-2020-12/meta/core.json" with { type: "json" };
import format2020 from "ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json" with { type: "json" };
import metaData2020 from "ajv/dist/refs/json-schema-2020-12/meta/meta-data.json" with { type: "json" };
import unevaluated2020 from "ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json" with { type: "json" };
import validation2020 from "ajv/dist/refs/json-schema-2020-12/meta/validation.json" with { type: "json" };
import draft2020 from "ajv/dist/refs/json-schema-2020-12/schema.json" with { type: "json" };
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import type { JsonObject } from "../cel/json.js";
import type { SchemaDraft } from "./keywords.js";

type MetaSchema = JsonObject & { readonly $id: string };

/** The meta-schema of each draft, and then the parts that it refers to. */
export const DRAFTS: { readonly [D in SchemaDraft]: readonly [MetaSchema, ...MetaSchema[]] } = {
  7: [draft7],
  2019: [draft2019, applicator2019, content2019, core2019, format2019, metaData2019, validation2019],
  2020: [draft2020, unevaluated2020, applicator2020, content2020, core2020, format2020, metaData2020, validation2020],
};
