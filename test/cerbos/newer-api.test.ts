/** The client with a newer `@cerbos/core`: its copy of the API has fields that ours does not know. */

import { clone, create, createFileRegistry, type DescFile, type DescMessage } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { CheckResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import { CheckResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import { CerbosService } from "@cerbos/api/cerbos/svc/v1/svc_pb";
import { expect, test } from "vitest";
import { compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { policy } from "../support/compose.js";

/** A file's descriptor after those of all its imports, dependencies first. */
function withImports(file: DescFile): readonly DescFile[] {
  return [...new Set([...file.dependencies.flatMap(withImports), file])];
}

/** The response type with one more field in each result: a list, which a client of that version iterates over. */
function newerResponse(): DescMessage {
  const { file, typeName } = CheckResourcesResponseSchema;
  const proto = clone(FileDescriptorProtoSchema, file.proto);
  const result = proto.messageType
    .find(({ name }) => name === "CheckResourcesResponse")
    ?.nestedType.find(({ name }) => name === "ResultEntry");
  result?.field.push(
    create(FieldDescriptorProtoSchema, {
      name: "later_errors",
      jsonName: "laterErrors",
      number: 999,
      label: FieldDescriptorProto_Label.REPEATED,
      type: FieldDescriptorProto_Type.STRING,
    }),
  );
  const files = [...file.dependencies.flatMap(withImports).map((each) => each.proto), proto];
  const found = createFileRegistry(create(FileDescriptorSetSchema, { file: [...new Set(files)] })).getMessage(typeName);
  if (found === undefined) throw new Error("the response has no descriptor");
  return found;
}

test("an answer is a message of the client's own API, whose further fields are there, and empty", async () => {
  const rule =
    "name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, output: {when: {ruleActivated: \"{'a': [1, null]}\"}}";
  const engine = compileCheckEngine([{ path: "doc.yaml", text: policy({ rules: [rule] }) }]);
  if (engine._tag === "Left") throw new Error(JSON.stringify(engine.left));
  const transport: unknown = Reflect.get(new EmbeddedClient(engine.right), "transport");
  const request = create(CheckResourcesRequestSchema, {
    principal: { id: "ann", roles: ["user"] },
    resources: [{ resource: { kind: "doc", id: "d1" }, actions: ["read"] }],
    includeMeta: true,
  });
  const ask = (output: DescMessage) =>
    Object(transport).unary({ ...CerbosService.method.checkResources, output }, request, new Headers(), {
      throwIfAborted: () => {},
    });
  const [ours, newer] = [await ask(CheckResourcesResponseSchema), await ask(newerResponse())];
  const [result] = newer.results;
  expect(result.laterErrors).toEqual([]);
  expect(ours.results[0]).not.toHaveProperty("laterErrors");
  const { laterErrors: _, ...known } = result;
  expect(known).toEqual(ours.results[0]);
  expect(known.outputs[0].val.kind.case).toBe("structValue");
});
