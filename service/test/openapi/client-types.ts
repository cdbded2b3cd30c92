/** Generates a client's types from the OpenAPI document. */

import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { openApiDocument } from "../../src/http/openapi.js";

export async function clientTypes(): Promise<string> {
  const document = JSON.parse(JSON.stringify(openApiDocument("docs.example.com"))) as OpenAPI3;
  const nodes = await openapiTS(document, { alphabetize: false });
  return `// Made from the OpenAPI document: npm run client-types -w service\n\n${astToString(nodes)}`;
}
