/**
 * The parts of an `McpServer` that a guard needs, of `@modelcontextprotocol/sdk` 1.x and of `@modelcontextprotocol/server`
 * 2.x. Neither package is imported: their classes are read by name, and a server without one of the parts is refused.
 */

/** An `McpServer`. */
export interface GuardedServer {
  /** The low-level server. */
  readonly server: object;
}

type ServerMethod = (...args: readonly unknown[]) => unknown;

/** A handler of requests, as both packages call it. */
export type RequestHandler = (request: unknown, context: unknown) => unknown;

/** A registered tool. */
export interface RegisteredTool {
  /** The arguments as the tool's schema parses them. Rejects for arguments that do not fit. */
  parsed(args: unknown): Promise<unknown>;
}

/** The methods of tools. Their handlers are always guarded. */
export const GUARDED_METHODS = ["tools/list", "tools/call"] as const;

export type GuardedMethod = (typeof GUARDED_METHODS)[number];

/** Throws a `TypeError` for a server of another form, and for one that is connected. */
export class ServerAccess {
  private readonly target: object;
  private readonly low: object;

  constructor(target: GuardedServer) {
    this.target = target;
    const low = fieldOf(target, "server");
    if (typeof low !== "object" || low === null) throw new TypeError(NOT_A_SERVER);
    this.low = low;
    for (const name of ["setToolRequestHandlers", "validateToolInput"]) methodOf(target, name);
    for (const name of ["setRequestHandler", "removeRequestHandler"]) methodOf(low, name);
    if (typeof fieldOf(target, "_registeredTools") !== "object") throw new TypeError(NOT_A_SERVER);
    if (fieldOf(low, "transport") !== undefined) throw new TypeError("guardTools must be called before connect");
  }

  /**
   * Wraps the handlers of the methods of tools: those that are set, and all that will be set. The server sets its own
   * handlers with its first tool, or here.
   */
  wrap(wrapped: (method: GuardedMethod, handler: RequestHandler) => RequestHandler): void {
    const { low, target } = this;
    const set = methodOf(low, "setRequestHandler");
    const remove = methodOf(low, "removeRequestHandler");
    const guarded: ServerMethod = (first, ...rest) => {
      const method = guardedMethod(first);
      const [handler] = rest;
      if (method === undefined) return set.call(low, first, ...rest);
      if (typeof handler !== "function") throw new TypeError(`a guarded server takes a plain handler of ${method}`);
      const plain: RequestHandler = (request, context) => Reflect.apply(handler, undefined, [request, context]);
      return set.call(low, first, wrapped(method, plain));
    };
    put(low, "setRequestHandler", guarded);
    for (const method of GUARDED_METHODS) remove.call(low, method);
    put(target, "_toolHandlersInitialized", false);
    methodOf(target, "setToolRequestHandlers").call(target);
    const handlers = fieldOf(low, "_requestHandlers");
    const isSet = handlers instanceof Map && GUARDED_METHODS.every((method) => handlers.has(method));
    if (!isSet) throw new TypeError(NOT_A_SERVER);
  }

  /** Wraps the handlers of all other methods, as they are looked up. `undefined`: the server has no handler. */
  wrapOthers(wrapped: (method: string, handler: RequestHandler | undefined) => RequestHandler): void {
    const { low } = this;
    const handlers = fieldOf(low, "_requestHandlers");
    if (!(handlers instanceof Map)) throw new TypeError(NOT_A_SERVER);
    const get = handlers.get.bind(handlers);
    put(handlers, "get", (method: string) => {
      const handler: unknown = get(method) ?? fieldOf(low, "fallbackRequestHandler");
      if (guardedMethod(method) !== undefined) return handler;
      const isSet = typeof handler === "function";
      const own: RequestHandler = (request, context) => Reflect.apply(Object(handler), low, [request, context]);
      return wrapped(method, isSet ? own : undefined);
    });
  }

  /** The tool with a name, if it is registered and enabled. */
  tool(name: string): RegisteredTool | undefined {
    const tools = fieldOf(this.target, "_registeredTools");
    if (typeof tools !== "object" || tools === null || !Object.hasOwn(tools, name)) return undefined;
    const tool = fieldOf(tools, name);
    if (typeof tool !== "object" || tool === null || fieldOf(tool, "enabled") === false) return undefined;
    const validate = methodOf(this.target, "validateToolInput");
    return { parsed: async (args) => await validate.call(this.target, tool, args, name) };
  }

  /**
   * Adds a resolver of scope challenges, which transports of `@modelcontextprotocol/server` ask before a request is handled.
   * The tool's own challenge comes first. Without effect on servers that have no such hook.
   */
  addChallenge(resolve: (request: unknown, context: object) => Promise<object | undefined>): void {
    const { target } = this;
    const own = fieldOf(target, "resolveScopeChallenge");
    if (typeof own !== "function") return;
    put(target, "resolveScopeChallenge", async (context: object) => {
      const challenged: unknown = await Reflect.apply(own, target, [context]);
      if (challenged !== undefined) return challenged;
      // Handlers find the same information below `http`.
      const http = { authInfo: fieldOf(context, "authInfo") };
      return await resolve(fieldOf(context, "request"), { ...context, http });
    });
  }
}

const NOT_A_SERVER =
  "guardTools needs an McpServer of @modelcontextprotocol/sdk 1.x or @modelcontextprotocol/server 2.x";

/** Reads a field by its name. */
export function fieldOf(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}

function methodOf(of: object, name: string): ServerMethod {
  const found = fieldOf(of, name);
  if (typeof found !== "function") throw new TypeError(NOT_A_SERVER);
  return function (this: unknown, ...args) {
    return Reflect.apply(found, this, args);
  };
}

function put(on: object, name: string, value: unknown): void {
  Object.defineProperty(on, name, { value, writable: true, configurable: true, enumerable: true });
}

/** The method of a handler: its name (2.x), or the literal in its request schema (1.x). */
function guardedMethod(first: unknown): GuardedMethod | undefined {
  const name = typeof first === "string" ? first : fieldOf(fieldOf(fieldOf(first, "shape"), "method"), "value");
  return GUARDED_METHODS.find((method) => method === name);
}
