// Made from the OpenAPI document: npm run client-types -w service

export interface paths {
  "/v2/workspaces.createWorkspace": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Creates a workspace in an environment. Names are unique in an account. */
    post: operations["workspaces.createWorkspace"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/workspaces.getWorkspace": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reads a workspace. Policies decide it as apis.listApis. */
    post: operations["workspaces.getWorkspace"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/workspaces.listWorkspaces": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Lists the workspaces that `workspaces.getWorkspace` would be allowed for. No permission is needed to ask. */
    post: operations["workspaces.listWorkspaces"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/workspaces.deleteWorkspace": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Deletes a workspace that has no APIs. Keys that could reach it keep their other workspaces. */
    post: operations["workspaces.deleteWorkspace"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/apis.createApi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Creates an API in a workspace. It starts as a draft, which has no keys. */
    post: operations["apis.createApi"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/apis.listApis": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Lists the APIs of a workspace that `apis.getApi` would be allowed for, in the order of their ids. */
    post: operations["apis.listApis"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/apis.getApi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reads an API. */
    post: operations["apis.getApi"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/apis.updateApi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Changes an API's state or delete protection. Only the platform lifts a suspension. */
    post: operations["apis.updateApi"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/apis.deleteApi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Deletes an API that has no keys, and the records of revoked ones. */
    post: operations["apis.deleteApi"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/apis.listKeys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Lists the keys of an API that `keys.getKey` would be allowed for, oldest first, revoked ones among them. */
    post: operations["apis.listKeys"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/keys.createKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Creates a key in an API. Its secret is in this response and nowhere else. */
    post: operations["keys.createKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.getKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reads a key, without its secret. */
    post: operations["keys.getKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.updateKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Changes a key, from its next request on. Revoking is for good. */
    post: operations["keys.updateKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.rerollKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Gives a key another secret, shown once. The old one works until the time of grace is over. */
    post: operations["keys.rerollKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.revokeKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Revokes a key, for good, whatever the state of the key or its account; again, it changes nothing. */
    post: operations["keys.revokeKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.deleteKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Deletes a key. A revoked one stays, as a record, for as long as its API. */
    post: operations["keys.deleteKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.verifyKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Says whether a secret is a valid key of the account, and whether it may do something. */
    post: operations["keys.verifyKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v2/keys.whoami": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Says which key makes the request. It needs no permission, so nothing is decided. */
    post: operations["keys.whoami"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/healthz": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether the process runs. */
    get: operations["healthz"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/readyz": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether it can serve: there is a store, and somebody to decide. */
    get: operations["readyz"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Meta: {
      /**
       * @description Also in the field x-request-id.
       * @example req_5cLmnrwPsxvGnHLSl2XbG1
       */
      requestId: string;
    };
    Workspace: {
      /**
       * @description The identifier of the workspace.
       * @example ws_02d5e8ab91c34f7760aa1b2c
       */
      workspaceId: string;
      /**
       * @description Text without control characters.
       * @example Billing
       */
      name: string;
      /** @enum {string} */
      environment: "development" | "production";
      /** @enum {string} */
      state: "active" | "suspended";
      /** @description APIs in the workspace. */
      apiCount: number;
      /**
       * Format: date-time
       * @example 2030-01-01T00:00:00Z
       */
      createdAt: string;
    };
    Error: {
      meta: components["schemas"]["Meta"];
      error: {
        detail: string;
        status: number;
        title: string;
        /** Format: uri */
        type: string;
      };
    };
    Nothing: Record<string, never>;
    Api: {
      /**
       * @description The identifier of the API.
       * @example api_4be1c9c1f0d24a7d8e02a3f1
       */
      apiId: string;
      /**
       * @description The identifier of the workspace.
       * @example ws_02d5e8ab91c34f7760aa1b2c
       */
      workspaceId: string;
      /**
       * @description Text without control characters.
       * @example Billing
       */
      name: string;
      /** @enum {string} */
      environment: "development" | "production";
      /**
       * @description The state in force: suspended, too, while the workspace is.
       * @enum {string}
       */
      state: "draft" | "active" | "suspended" | "deleting";
      /** @description The platform's own: nobody changes it. */
      system: boolean;
      deleteProtection: boolean;
      /** @description Keys in the API that are not revoked. */
      keyCount: number;
      /**
       * Format: date-time
       * @example 2030-01-01T00:00:00Z
       */
      createdAt: string;
    };
    Key: {
      /**
       * @description The identifier of the API key.
       * @example key_91f0c2d47a3b5e6608d1c2aa
       */
      keyId: string;
      /**
       * @description The identifier of the API.
       * @example api_4be1c9c1f0d24a7d8e02a3f1
       */
      apiId: string;
      /**
       * @description The key that made this one: it may do only what its parent may. `null`: an operator made it.
       * @example key_91f0c2d47a3b5e6608d1c2aa
       */
      parentId: string | null;
      /**
       * @description Text without control characters.
       * @example Billing
       */
      name: string;
      /**
       * @description What the key may do by its roles; custom gives nothing.
       * @example [
       *       "viewer"
       *     ]
       */
      roles: ("viewer" | "editor" | "admin" | "custom")[];
      /**
       * @description What the key may do beyond its roles.
       * @example [
       *       "api.*.create_key"
       *     ]
       */
      permissions: string[];
      /**
       * @description The workspaces that the key can reach. ["*"]: every one of the account.
       * @example [
       *       "*"
       *     ]
       */
      workspaceIds: string[] | "*"[] | string[];
      /**
       * @description The state in force: suspended while the API or the workspace is, unless revoked.
       * @enum {string}
       */
      state: "enabled" | "disabled" | "revoked" | "suspended";
      system: boolean;
      /**
       * Format: date-time
       * @example 2030-01-01T00:00:00Z
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @example 2030-01-01T00:00:00Z
       */
      createdAt: string;
      /**
       * @description Your own id for the holder of the key. Nothing is decided on it.
       * @example customer_17
       */
      externalId: string | null;
      /**
       * @description Texts of your own, by name. Nothing is decided on them.
       * @example {
       *       "tier": "gold"
       *     }
       */
      meta: {
        [key: string]: string;
      } | null;
      /**
       * @description Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.
       * @example [
       *       "documents.read"
       *     ]
       */
      productPermissions: string[];
      /** @description How often the key may still be verified; `null`: that is not limited. */
      credits: {
        /**
         * @description How many credits are left.
         * @example 1000
         */
        remaining: number;
        /** @description Sets what is left to `amount` at the beginning of each day or month, in UTC. */
        refill: {
          amount: number;
          /** @enum {string} */
          every: "day" | "month";
        } | null;
      } | null;
    };
    /** @description What the key might do, and to what. */
    MayIt:
      | {
          /** @enum {string} */
          operation: "apis.createApi" | "apis.listApis" | "workspaces.deleteWorkspace";
          /**
           * @description The identifier of the workspace.
           * @example ws_02d5e8ab91c34f7760aa1b2c
           */
          workspaceId: string;
        }
      | {
          /** @enum {string} */
          operation: "apis.getApi" | "apis.updateApi" | "apis.deleteApi" | "apis.listKeys" | "keys.createKey";
          /**
           * @description The identifier of the API.
           * @example api_4be1c9c1f0d24a7d8e02a3f1
           */
          apiId: string;
        }
      | {
          /** @enum {string} */
          operation: "keys.getKey" | "keys.verifyKey" | "keys.updateKey" | "keys.revokeKey" | "keys.deleteKey";
          /**
           * @description The identifier of the API key.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          keyId: string;
        };
    Identity: {
      /**
       * @description The identifier of the API key.
       * @example key_91f0c2d47a3b5e6608d1c2aa
       */
      keyId: string;
      /**
       * @description The identifier of the API.
       * @example api_4be1c9c1f0d24a7d8e02a3f1
       */
      apiId: string;
      /**
       * @description The key that made this one: it may do only what its parent may. `null`: an operator made it.
       * @example key_91f0c2d47a3b5e6608d1c2aa
       */
      parentId: string | null;
      /**
       * @description Text without control characters.
       * @example Billing
       */
      name: string;
      /**
       * @description What the key may do by its roles; custom gives nothing.
       * @example [
       *       "viewer"
       *     ]
       */
      roles: ("viewer" | "editor" | "admin" | "custom")[];
      /**
       * @description What the key may do beyond its roles.
       * @example [
       *       "api.*.create_key"
       *     ]
       */
      permissions: string[];
      /**
       * @description The workspaces that the key can reach. ["*"]: every one of the account.
       * @example [
       *       "*"
       *     ]
       */
      workspaceIds: string[] | "*"[] | string[];
      /**
       * Format: date-time
       * @example 2030-01-01T00:00:00Z
       */
      expiresAt: string | null;
      /**
       * @description The identifier of the account.
       * @example acc_7f31d0a2c95b48e6a1042d3e
       */
      accountId: string;
      /** @enum {string} */
      environment: "development" | "production";
    };
    Readiness: {
      /** @enum {string} */
      status: "ready" | "not ready" | "shutting down";
      policies: {
        /** @description Names the policies in force, as in decision records. */
        hash: string;
        /** @description Whether the files are others by now, and were not taken over. */
        refused: boolean;
        /**
         * @description Where a PDP decides: whether it has decided otherwise than these policies would.
         * @enum {string}
         */
        pdp?: "unknown" | "agree" | "differ";
      };
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  "workspaces.createWorkspace": {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours, a request of the same key with the same value and the same body gets the answer of the first one, with the field `idempotent-replayed`. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description Text without control characters.
           * @example Billing
           */
          name: string;
          /** @enum {string} */
          environment: "development" | "production";
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Workspace"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The `Idempotency-Key` came with another request before. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "workspaces.getWorkspace": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the workspace.
           * @example ws_02d5e8ab91c34f7760aa1b2c
           */
          workspaceId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Workspace"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "workspaces.listWorkspaces": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /** @default 100 */
          limit?: number;
          /**
           * @description Where to go on: `nextCursor` of the page before.
           * @example NDA4ODkyZmE2YTJhMTc
           */
          cursor?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: {
              workspaces: components["schemas"]["Workspace"][];
              /**
               * @description `null` on the last page.
               * @example NDA4ODkyZmE2YTJhMTc
               */
              nextCursor: string | null;
            };
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "workspaces.deleteWorkspace": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the workspace.
           * @example ws_02d5e8ab91c34f7760aa1b2c
           */
          workspaceId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Nothing"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "apis.createApi": {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours, a request of the same key with the same value and the same body gets the answer of the first one, with the field `idempotent-replayed`. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the workspace.
           * @example ws_02d5e8ab91c34f7760aa1b2c
           */
          workspaceId: string;
          /**
           * @description Text without control characters.
           * @example Billing
           */
          name: string;
          /**
           * @default draft
           * @enum {string}
           */
          state?: "draft" | "active";
          /** @default false */
          deleteProtection?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Api"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The `Idempotency-Key` came with another request before. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "apis.listApis": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the workspace.
           * @example ws_02d5e8ab91c34f7760aa1b2c
           */
          workspaceId: string;
          /** @default 100 */
          limit?: number;
          /**
           * @description Where to go on: `nextCursor` of the page before.
           * @example NDA4ODkyZmE2YTJhMTc
           */
          cursor?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: {
              apis: components["schemas"]["Api"][];
              /**
               * @description `null` on the last page.
               * @example NDA4ODkyZmE2YTJhMTc
               */
              nextCursor: string | null;
            };
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "apis.getApi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API.
           * @example api_4be1c9c1f0d24a7d8e02a3f1
           */
          apiId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          /** @description The version of what was read, for `If-Match`. */
          etag: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Api"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "apis.updateApi": {
    parameters: {
      query?: never;
      header?: {
        /** @description The `etag` of the version to change; 412 if there is another one by now. */
        "If-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API.
           * @example api_4be1c9c1f0d24a7d8e02a3f1
           */
          apiId: string;
          /** @enum {string} */
          state?: "draft" | "active" | "suspended";
          deleteProtection?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          /** @description The version of what was read, for `If-Match`. */
          etag: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Api"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description What `If-Match` names has changed. */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "apis.deleteApi": {
    parameters: {
      query?: never;
      header?: {
        /** @description The `etag` of the version to change; 412 if there is another one by now. */
        "If-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API.
           * @example api_4be1c9c1f0d24a7d8e02a3f1
           */
          apiId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Nothing"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description What `If-Match` names has changed. */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "apis.listKeys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API.
           * @example api_4be1c9c1f0d24a7d8e02a3f1
           */
          apiId: string;
          /** @default 100 */
          limit?: number;
          /**
           * @description Where to go on: `nextCursor` of the page before.
           * @example NDA4ODkyZmE2YTJhMTc
           */
          cursor?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: {
              keys: components["schemas"]["Key"][];
              /**
               * @description `null` on the last page.
               * @example NDA4ODkyZmE2YTJhMTc
               */
              nextCursor: string | null;
            };
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.createKey": {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours, a request of the same key with the same value and the same body gets the answer of the first one, with the field `idempotent-replayed`. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API.
           * @example api_4be1c9c1f0d24a7d8e02a3f1
           */
          apiId: string;
          /**
           * @description Text without control characters.
           * @example Billing
           */
          name: string;
          /**
           * @description What the key may do by its roles; custom gives nothing.
           * @default [
           *       "custom"
           *     ]
           * @example [
           *       "viewer"
           *     ]
           */
          roles?: ("viewer" | "editor" | "admin" | "custom")[];
          /**
           * @description What the key may do beyond its roles.
           * @default []
           * @example [
           *       "api.*.create_key"
           *     ]
           */
          permissions?: string[];
          /**
           * @description Default: the workspace of the API.
           * @example [
           *       "*"
           *     ]
           */
          workspaceIds?: string[] | "*"[] | string[];
          /**
           * @description A key that the new key never exceeds: the caller's own (default), or one below it.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          parentId?: string;
          /**
           * Format: date-time
           * @example 2030-01-01T00:00:00Z
           */
          expiresAt?: string;
          /**
           * @description Your own id for the holder of the key. Nothing is decided on it.
           * @example customer_17
           */
          externalId?: string;
          /**
           * @description Texts of your own, by name. Nothing is decided on them.
           * @example {
           *       "tier": "gold"
           *     }
           */
          meta?: {
            [key: string]: string;
          };
          /**
           * @description Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.
           * @default []
           * @example [
           *       "documents.read"
           *     ]
           */
          productPermissions?: string[];
          /** @description How often `keys.verifyKey` finds the key valid: each time takes a credit. */
          credits?: {
            /**
             * @description How many credits are left.
             * @example 1000
             */
            remaining: number;
            /** @description Sets what is left to `amount` at the beginning of each day or month, in UTC. */
            refill?: {
              amount: number;
              /** @enum {string} */
              every: "day" | "month";
            };
          };
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: {
              /**
               * @description The identifier of the API key.
               * @example key_91f0c2d47a3b5e6608d1c2aa
               */
              keyId: string;
              /**
               * @description The identifier of the API.
               * @example api_4be1c9c1f0d24a7d8e02a3f1
               */
              apiId: string;
              /**
               * @description The key that made this one: it may do only what its parent may. `null`: an operator made it.
               * @example key_91f0c2d47a3b5e6608d1c2aa
               */
              parentId: string | null;
              /**
               * @description Text without control characters.
               * @example Billing
               */
              name: string;
              /**
               * @description What the key may do by its roles; custom gives nothing.
               * @example [
               *       "viewer"
               *     ]
               */
              roles: ("viewer" | "editor" | "admin" | "custom")[];
              /**
               * @description What the key may do beyond its roles.
               * @example [
               *       "api.*.create_key"
               *     ]
               */
              permissions: string[];
              /**
               * @description The workspaces that the key can reach. ["*"]: every one of the account.
               * @example [
               *       "*"
               *     ]
               */
              workspaceIds: string[] | "*"[] | string[];
              /**
               * @description The state in force: suspended while the API or the workspace is, unless revoked.
               * @enum {string}
               */
              state: "enabled" | "disabled" | "revoked" | "suspended";
              system: boolean;
              /**
               * Format: date-time
               * @example 2030-01-01T00:00:00Z
               */
              expiresAt: string | null;
              /**
               * Format: date-time
               * @example 2030-01-01T00:00:00Z
               */
              createdAt: string;
              /**
               * @description Your own id for the holder of the key. Nothing is decided on it.
               * @example customer_17
               */
              externalId: string | null;
              /**
               * @description Texts of your own, by name. Nothing is decided on them.
               * @example {
               *       "tier": "gold"
               *     }
               */
              meta: {
                [key: string]: string;
              } | null;
              /**
               * @description Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.
               * @example [
               *       "documents.read"
               *     ]
               */
              productPermissions: string[];
              /** @description How often the key may still be verified; `null`: that is not limited. */
              credits: {
                /**
                 * @description How many credits are left.
                 * @example 1000
                 */
                remaining: number;
                /** @description Sets what is left to `amount` at the beginning of each day or month, in UTC. */
                refill: {
                  amount: number;
                  /** @enum {string} */
                  every: "day" | "month";
                } | null;
              } | null;
              /** @description The secret, shown once. */
              key: string;
            };
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The `Idempotency-Key` came with another request before. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.getKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API key.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          keyId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          /** @description The version of what was read, for `If-Match`. */
          etag: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Key"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.updateKey": {
    parameters: {
      query?: never;
      header?: {
        /** @description The `etag` of the version to change; 412 if there is another one by now. */
        "If-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API key.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          keyId: string;
          /**
           * @description Text without control characters.
           * @example Billing
           */
          name?: string;
          /**
           * @description What the key may do by its roles; custom gives nothing.
           * @example [
           *       "viewer"
           *     ]
           */
          roles?: ("viewer" | "editor" | "admin" | "custom")[];
          /**
           * @description What the key may do beyond its roles.
           * @example [
           *       "api.*.create_key"
           *     ]
           */
          permissions?: string[];
          /**
           * @description The workspaces that the key can reach. ["*"]: every one of the account.
           * @example [
           *       "*"
           *     ]
           */
          workspaceIds?: string[] | "*"[] | string[];
          /** @enum {string} */
          state?: "enabled" | "disabled" | "revoked";
          /**
           * Format: date-time
           * @description `null`: the key does not expire.
           * @example 2030-01-01T00:00:00Z
           */
          expiresAt?: string | null;
          /**
           * @description Your own id for the holder of the key. Nothing is decided on it.
           * @example customer_17
           */
          externalId?: string | null;
          /**
           * @description Replaces all of it.
           * @example {
           *       "tier": "gold"
           *     }
           */
          meta?: {
            [key: string]: string;
          } | null;
          /**
           * @description Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.
           * @example [
           *       "documents.read"
           *     ]
           */
          productPermissions?: string[];
          /** @description `null`: the use is not limited. */
          credits?: {
            /**
             * @description How many credits are left.
             * @example 1000
             */
            remaining: number;
            /** @description Sets what is left to `amount` at the beginning of each day or month, in UTC. */
            refill?: {
              amount: number;
              /** @enum {string} */
              every: "day" | "month";
            };
          } | null;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          /** @description The version of what was read, for `If-Match`. */
          etag: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Key"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description What `If-Match` names has changed. */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.rerollKey": {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours, a request of the same key with the same value and the same body gets the answer of the first one, with the field `idempotent-replayed`. */
        "Idempotency-Key"?: string;
        /** @description The `etag` of the version to change; 412 if there is another one by now. */
        "If-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API key.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          keyId: string;
          /**
           * @description How long the old secret works; a secret before that one ends at once.
           * @default 0
           */
          graceSeconds?: number;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: {
              /**
               * @description The identifier of the API key.
               * @example key_91f0c2d47a3b5e6608d1c2aa
               */
              keyId: string;
              /**
               * @description The identifier of the API.
               * @example api_4be1c9c1f0d24a7d8e02a3f1
               */
              apiId: string;
              /**
               * @description The key that made this one: it may do only what its parent may. `null`: an operator made it.
               * @example key_91f0c2d47a3b5e6608d1c2aa
               */
              parentId: string | null;
              /**
               * @description Text without control characters.
               * @example Billing
               */
              name: string;
              /**
               * @description What the key may do by its roles; custom gives nothing.
               * @example [
               *       "viewer"
               *     ]
               */
              roles: ("viewer" | "editor" | "admin" | "custom")[];
              /**
               * @description What the key may do beyond its roles.
               * @example [
               *       "api.*.create_key"
               *     ]
               */
              permissions: string[];
              /**
               * @description The workspaces that the key can reach. ["*"]: every one of the account.
               * @example [
               *       "*"
               *     ]
               */
              workspaceIds: string[] | "*"[] | string[];
              /**
               * @description The state in force: suspended while the API or the workspace is, unless revoked.
               * @enum {string}
               */
              state: "enabled" | "disabled" | "revoked" | "suspended";
              system: boolean;
              /**
               * Format: date-time
               * @example 2030-01-01T00:00:00Z
               */
              expiresAt: string | null;
              /**
               * Format: date-time
               * @example 2030-01-01T00:00:00Z
               */
              createdAt: string;
              /**
               * @description Your own id for the holder of the key. Nothing is decided on it.
               * @example customer_17
               */
              externalId: string | null;
              /**
               * @description Texts of your own, by name. Nothing is decided on them.
               * @example {
               *       "tier": "gold"
               *     }
               */
              meta: {
                [key: string]: string;
              } | null;
              /**
               * @description Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.
               * @example [
               *       "documents.read"
               *     ]
               */
              productPermissions: string[];
              /** @description How often the key may still be verified; `null`: that is not limited. */
              credits: {
                /**
                 * @description How many credits are left.
                 * @example 1000
                 */
                remaining: number;
                /** @description Sets what is left to `amount` at the beginning of each day or month, in UTC. */
                refill: {
                  amount: number;
                  /** @enum {string} */
                  every: "day" | "month";
                } | null;
              } | null;
              /** @description The secret, shown once. */
              key: string;
              /**
               * Format: date-time
               * @description `null`: the old secret has ended.
               * @example 2030-01-01T00:00:00Z
               */
              oldSecretUntil: string | null;
            };
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description What `If-Match` names has changed. */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The `Idempotency-Key` came with another request before. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.revokeKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API key.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          keyId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Key"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.deleteKey": {
    parameters: {
      query?: never;
      header?: {
        /** @description The `etag` of the version to change; 412 if there is another one by now. */
        "If-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The identifier of the API key.
           * @example key_91f0c2d47a3b5e6608d1c2aa
           */
          keyId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Nothing"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description What `If-Match` names has changed. */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.verifyKey": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description The secret.
           * @example kw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
           */
          key: string;
          may?: components["schemas"]["MayIt"];
          /**
           * @description Product permissions that the key needs, each of them. Names are compared as they are, `*` too.
           * @default []
           * @example [
           *       "documents.read"
           *     ]
           */
          productPermissions?: string[];
          /**
           * @description The credits to take, if the key has a limit, is valid, and may do what was asked. 0: says what is left.
           * @default 1
           */
          cost?: number;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: {
              /** @description Whether the key may make requests at all. A suspended API or workspace does not change that. */
              valid: boolean;
              /**
               * @description Why it is not valid. `insufficient_permissions`: it lacks one of the product permissions that were asked about. `usage_exceeded`: fewer credits are left than the request costs.
               * @enum {string}
               */
              code:
                | "valid"
                | "not_found"
                | "disabled"
                | "revoked"
                | "expired"
                | "insufficient_permissions"
                | "usage_exceeded";
              /**
               * @description `null` if the account has no such key.
               * @example key_91f0c2d47a3b5e6608d1c2aa
               */
              keyId: string | null;
              /**
               * @description What a request by the key would meet; `null` if nothing was asked, or it is not valid.
               * @enum {string|null}
               */
              outcome: "allow" | "insufficient_permissions" | "forbidden" | null;
              /** @description The requests a second that the key may make in this replica, and those that it may make at once now. `null` without a limit, or for no key. */
              rateLimit: {
                limit: number;
                remaining: number;
              } | null;
              /** @description The credits that are left, after this request; `null` without a limit, or for no key. */
              credits: {
                remaining: number;
              } | null;
              /**
               * @description Your own id for the holder of the key. Nothing is decided on it.
               * @example customer_17
               */
              externalId: string | null;
              /**
               * @description Texts of your own, by name. Nothing is decided on them.
               * @example {
               *       "tier": "gold"
               *     }
               */
              meta: {
                [key: string]: string;
              } | null;
              /**
               * @description Permissions in your product, by names of your own. Only `keys.verifyKey` looks at them.
               * @example [
               *       "documents.read"
               *     ]
               */
              productPermissions: string[] | null;
            };
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can). */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  "keys.whoami": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": Record<string, never>;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            meta: components["schemas"]["Meta"];
            data: components["schemas"]["Identity"];
          };
        };
      };
      /** @description The body, or a field of the header, is not what the operation takes. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description There is no such thing in the caller's account. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The method is not POST. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The request did not arrive in time. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The name is in use. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The body is not `application/json`. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The API key, its account or the address makes too many requests; `retry-after` says when to come back. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The header fields are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description A fault of the service. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description The service cannot decide or store at present; `retry-after` says when to come back. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  healthz: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Yes. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            status: string;
          };
        };
      };
      /** @description The method is not GET or HEAD. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  readyz: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Yes. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
      /** @description The method is not GET or HEAD. */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
      /** @description Not now. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Readiness"];
        };
      };
    };
  };
}
