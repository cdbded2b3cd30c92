/** The setup of most tests: a store, the service on it, and an account. */

import { afterAll, beforeAll } from "vitest";
import type { Store } from "../../src/store/store.js";
import { type TestService, testService } from "./service.js";
import { newAccount, type World } from "./world.js";

export interface Fixture {
  readonly store: Store;
  readonly service: TestService;
  readonly world: World;
}

/** Makes them before the tests of a `describe`, and passes them to `take`; closes the store after the tests. */
export function useService(
  open: () => Promise<Store>,
  take: (fixture: Fixture) => void,
  account: Parameters<typeof newAccount>[1] = {},
): void {
  let store: Store | undefined;
  beforeAll(async () => {
    store = await open();
    take({ store, service: await testService(store), world: await newAccount(store, account) });
  });
  afterAll(() => store?.close());
}
