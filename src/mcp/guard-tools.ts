/** Guards the tools of an MCP server: each key sees the tools that it can use, and each call is decided. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { AccountOf, KeyOf, PolicyTypes } from "../decisions/policy-types.js";
import { challengeOf, isScopeToken } from "../hints/header.js";
import {
  ANY,
  among,
  CALLBACK,
  checkOptions,
  MILLISECONDS,
  OBJECT,
  type OptionTable,
  required,
} from "../policy/options.js";
import { fieldOf, type GuardedServer, type RequestHandler, ServerAccess } from "./mcp-server.js";
import { checkMethods, type MethodTable } from "./methods.js";
import {
  accessTo,
  type CallDecision,
  decideCall,
  failedResult,
  forbiddenCall,
  internalError,
  lackingRequest,
  lackingResult,
  missingResource,
  NO_RESOURCE,
  type ToolAccess,
  type ToolCaller,
  ToolError,
  type ToolMapping,
  unknownMethod,
  unknownTool,
} from "./tool-decisions.js";
import { checkTimeout, within } from "./within.js";

/**
 * How to guard tools. `C` is the type of the object that the server gives its handlers: `extra` of 1.x, with `authInfo`;
 * the context of 2.x, with `http.authInfo`. A challenge of 2.x is asked for before there is such a context: then it has
 * `request`, `authInfo` and `http.authInfo` alone.
 */
export interface GuardToolsOptions<C = unknown, T extends PolicyTypes = PolicyTypes> {
  /** The policies; a function is called for each request. */
  readonly policies: PolicySet<T> | (() => PolicySet<T>);
  /** The caller's key, read anew for each request. An error that it throws is answered with -32603, without details. */
  readonly key: (context: C) => KeyOf<T> | Promise<KeyOf<T>>;
  /** The account that owns the resources. Default: none, for policies without a platform layer. */
  readonly account?: (context: C) => AccountOf<T> | undefined | Promise<AccountOf<T> | undefined>;
  /** By the name of the tool. A tool without a mapping is never listed, and each call of it is refused. */
  readonly tools: { readonly [name: string]: ToolMapping<T> };
  /** The decisions' clock. Default: none, for policies that do not read the time. */
  readonly now?: (context: C) => Date;
  /**
   * How a lack of permission is answered. `challenge` (default): over HTTP with 403 and `WWW-Authenticate`, where the
   * server has a hook for it (`@modelcontextprotocol/server` 2.4) and the hint is by permissions that can be scopes;
   * otherwise as a result. `result`: always as a result with `isError`.
   */
  readonly refusal?: "challenge" | "result";
  /**
   * The answer to a call of a tool that is not listed for the key. `unknown` (default): as for a tool that is not
   * there. `decide`: the refusal of the decision, so that a key can ask for the permission; it tells that the tool exists.
   */
  readonly unlisted?: "unknown" | "decide";
  /**
   * The tools without an allowed call for any key. `hide` (default): they are not listed. `mark`: they are listed with
   * `"keyward/outcome": "forbidden"` in their `_meta`, so that a client can say why, and their calls are answered as
   * forbidden.
   */
  readonly forbidden?: "hide" | "mark";
  /**
   * The other methods of the server, such as `resources/read`: those that are handled, and how they are decided. Default:
   * all are handled without a decision. `PROTOCOL_METHODS` has those that every session needs.
   */
  readonly methods?: MethodTable<T>;
  /**
   * The most time for each look-up of a key, an account or a resource, in milliseconds. A later answer counts as an error
   * that the look-up throws. Default: 1,000.
   */
  readonly timeoutMs?: number;
  /** How long a client may keep a list of tools, in milliseconds. Default: as the server says. */
  readonly ttlMs?: number;
  /** Called with the errors that the caller is not told. Errors of this function are ignored. */
  readonly onError?: (error: unknown, context: C) => void;
}

const GUARD_TOOLS_OPTIONS = {
  policies: required(ANY),
  key: required(CALLBACK),
  account: CALLBACK,
  tools: required(OBJECT),
  now: CALLBACK,
  refusal: among(["challenge", "result"]),
  unlisted: among(["unknown", "decide"]),
  forbidden: among(["hide", "mark"]),
  methods: OBJECT,
  timeoutMs: ANY,
  ttlMs: MILLISECONDS,
  onError: CALLBACK,
} satisfies OptionTable<GuardToolsOptions>;

/** The guard of a server. */
export interface ToolGuard<C = unknown> {
  /**
   * The value of `WWW-Authenticate` for a 403 response to a message, or to a batch of messages, before the server handles
   * it. Undefined: let the server handle it. For transports without a hook of their own, such as those of
   * `@modelcontextprotocol/sdk` 1.x. `context` is passed to `key` and `account`. Never rejects.
   */
  challenge(
    message: unknown,
    context: C,
    parameters?: { readonly [name: string]: string },
  ): Promise<string | undefined>;
}

/**
 * Guards the tools of an `McpServer` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x. It must be
 * called before `connect`. Tools may be registered before and after it.
 *
 * `tools/list` has the tools for which the policies allow some call of the key. `tools/call` decides with the
 * arguments, after the tool's schema has parsed them and before the handler runs. An error on the way refuses the call.
 * Annotations of tools are not read. Throws a `TypeError` for a server of another form, for one that is connected, for
 * an unknown option or an invalid value, and for a table of `methods` that is malformed, and a `RangeError` for a
 * `timeoutMs` that no timer has.
 */
export function guardTools<C = unknown, T extends PolicyTypes = PolicyTypes>(
  server: GuardedServer,
  options: GuardToolsOptions<C, T>,
): ToolGuard<C>;
export function guardTools(server: GuardedServer, options: GuardToolsOptions): ToolGuard {
  checkOptions(options, GUARD_TOOLS_OPTIONS);
  const access = new ServerAccess(server);
  const guard = new ServerGuard(access, options);
  access.wrap((method, handler) => (method === "tools/list" ? guard.lists(handler) : guard.calls(handler)));
  const { methods } = options;
  if (methods !== undefined) {
    checkMethods(methods);
    access.wrapOthers((method, handler) => guard.others(methods, method, handler));
  }
  if (options.refusal !== "result") access.addChallenge((request, context) => guard.scopeChallenge(request, context));
  return { challenge: (message, context, parameters) => guard.challenge(message, context, parameters) };
}

/** A request, as far as a decision. */
type DecidedCall = CallDecision | { readonly outcome: "missing" };

type CheckedCall = DecidedCall | { readonly outcome: "invalid"; readonly text: string };

/** The subjects of a request, and the policies and time to decide with. */
type AskedBy = ToolCaller & { readonly policies: PolicySet; readonly now: Date | undefined };

/** Marks a tool that is forbidden in every call. */
const MARK = { "keyward/outcome": "forbidden" } as const;

const FAULT = "the policies cannot answer: the key, the resource or the mapping is wrong";

/** The default of `timeoutMs`. */
const LOOK_UP_MS = 1_000;

class ServerGuard {
  private readonly access: ServerAccess;
  private readonly options: GuardToolsOptions;
  private readonly timeoutMs: number;

  constructor(access: ServerAccess, options: GuardToolsOptions) {
    const { timeoutMs = LOOK_UP_MS } = options;
    checkTimeout(timeoutMs);
    this.access = access;
    this.options = options;
    this.timeoutMs = timeoutMs;
  }

  lists(handler: RequestHandler): RequestHandler {
    return async (request, context) => {
      try {
        const result = await handler(request, context);
        const tools = fieldOf(result, "tools");
        if (typeof result !== "object" || !Array.isArray(tools)) throw new TypeError("a list of tools has no tools");
        const asked = await this.asked(context);
        const seen = tools.flatMap((tool: unknown) => {
          const mapping = this.mapping(fieldOf(tool, "name"));
          const to = mapping === undefined ? "unusable" : accessTo(asked.policies, mapping, asked, asked.now);
          if (!this.isListed(to)) return [];
          return [
            to === "forbidden" ? { ...Object(tool), _meta: { ...Object(fieldOf(tool, "_meta")), ...MARK } } : tool,
          ];
        });
        const { ttlMs } = this.options;
        // The list is that of one key: no cache may give it to another one.
        const cache = { cacheScope: "private", ...(ttlMs === undefined ? {} : { ttlMs }) };
        return { ...result, ...cache, tools: seen };
      } catch (error) {
        throw this.reported(error, context);
      }
    };
  }

  calls(handler: RequestHandler): RequestHandler {
    return async (request, context) => {
      const call = await this.checked(request, context).catch((error: unknown) => {
        throw this.reported(error, context);
      });
      switch (call.outcome) {
        case "allow":
          return await handler(request, context);
        case "insufficient_permissions":
          return lackingResult(call.scopes);
        case "forbidden":
          throw forbiddenCall();
        case "invalid":
          return failedResult(call.text);
        case "missing":
          return failedResult(NO_RESOURCE);
        case "fault":
          throw this.reported(new Error(FAULT), context);
      }
    };
  }

  /** The handler of a method that is not about tools. `own`: the server's, if it has one. */
  others(methods: MethodTable, method: string, own: RequestHandler | undefined): RequestHandler {
    const rule = Object.hasOwn(methods, method) ? methods[method] : undefined;
    return async (request, context) => {
      if (rule === undefined || own === undefined) throw unknownMethod();
      if (rule === "open") return await own(request, context);
      const call = await this.checkedMethod(rule, request, context).catch((error: unknown) => {
        throw this.reported(error, context);
      });
      switch (call.outcome) {
        case "allow":
          return await own(request, context);
        case "insufficient_permissions":
          throw lackingRequest(call.scopes);
        case "forbidden":
          throw forbiddenCall();
        case "missing":
          throw missingResource();
        case "fault":
          throw this.reported(new Error(FAULT), context);
      }
    };
  }

  /** A challenge for a request that is not handled yet. All other answers are left to the handler. */
  async scopeChallenge(
    request: unknown,
    context: unknown,
  ): Promise<{ readonly scopes: readonly string[] } | undefined> {
    try {
      const method = fieldOf(request, "method");
      const rule = this.methodRule(method);
      if (method !== "tools/call" && rule === undefined) return undefined;
      const call = await (rule === undefined
        ? this.checked(request, context)
        : this.checkedMethod(rule, request, context));
      if (call.outcome !== "insufficient_permissions" || call.hasRoles || call.scopes.length === 0) return undefined;
      return call.scopes.every(isScopeToken) ? { scopes: call.scopes } : undefined;
    } catch {
      return undefined;
    }
  }

  async challenge(
    message: unknown,
    context: unknown,
    parameters?: { readonly [name: string]: string },
  ): Promise<string | undefined> {
    for (const request of Array.isArray(message) ? message : [message]) {
      const challenged = await this.scopeChallenge(request, context);
      if (challenged !== undefined) return challengeOf([{ permissions: challenged.scopes }], parameters);
    }
    return undefined;
  }

  private async checked(request: unknown, context: unknown): Promise<CheckedCall> {
    const params = fieldOf(request, "params");
    const name = fieldOf(params, "name");
    const mapping = this.mapping(name);
    const tool = typeof name === "string" ? this.access.tool(name) : undefined;
    if (mapping === undefined || tool === undefined) throw unknownTool(String(name));
    const asked = await this.asked(context);
    const isHidden =
      this.options.unlisted !== "decide" && !this.isListed(accessTo(asked.policies, mapping, asked, asked.now));
    if (isHidden) throw unknownTool(String(name));
    let args: unknown;
    try {
      args = (await tool.parsed(fieldOf(params, "arguments"))) ?? {};
    } catch (error) {
      return { outcome: "invalid", text: error instanceof Error ? error.message : String(error) };
    }
    return await this.decided(mapping, args, asked, context);
  }

  private async checkedMethod(mapping: ToolMapping, request: unknown, context: unknown): Promise<DecidedCall> {
    return await this.decided(mapping, fieldOf(request, "params") ?? {}, await this.asked(context), context);
  }

  private async decided(mapping: ToolMapping, args: unknown, asked: AskedBy, context: unknown): Promise<DecidedCall> {
    const resource: unknown = await within<unknown>(this.timeoutMs, () =>
      Reflect.apply(mapping.resource, mapping, [args, context]),
    );
    if (resource === undefined || resource === null) return { outcome: "missing" };
    const { operation, kind } = mapping;
    if (!isResource(resource, kind)) throw new TypeError(`the resource for ${operation} is no ${kind}`);
    return decideCall(asked.policies, mapping, asked, resource, asked.now);
  }

  private isListed(access: ToolAccess): boolean {
    return access === "usable" || (access === "forbidden" && this.options.forbidden === "mark");
  }

  private methodRule(method: unknown): ToolMapping | undefined {
    const { methods = {} } = this.options;
    const rule = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined;
    return rule === "open" ? undefined : rule;
  }

  private mapping(name: unknown): ToolMapping | undefined {
    const { tools } = this.options;
    return typeof name === "string" && Object.hasOwn(tools, name) ? tools[name] : undefined;
  }

  private async asked(context: unknown): Promise<AskedBy> {
    const { timeoutMs } = this;
    const { policies, key, account, now } = this.options;
    return {
      policies: typeof policies === "function" ? policies() : policies,
      key: await within(timeoutMs, () => key(context)),
      account: await within(timeoutMs, () => account?.(context)),
      now: now?.(context),
    };
  }

  /** The error to answer with. */
  private reported(error: unknown, context: unknown): ToolError {
    if (error instanceof ToolError) return error;
    try {
      this.options.onError?.(error, context);
    } catch {
      // Nothing is left to report the error to. The call is still refused.
    }
    return internalError(error);
  }
}

function isResource(value: unknown, kind: string): value is { readonly id: string } {
  if (typeof value !== "object" || value === null || typeof fieldOf(value, "id") !== "string") return false;
  const given = fieldOf(value, "kind");
  return given === undefined || given === kind;
}
