/** The operator's actions on accounts: plan, limits, status and holds. */

import { z } from "zod";
import type { AccountRow } from "../store/rows.js";
import { ACCOUNT_STATUSES, PLANS } from "../store/schema.js";
import type { RequestStore } from "../store/store.js";
import { ActionRefused, type Author, changed, changing, id, page, reading, snapshotOf, wholeNumber } from "./action.js";
import { pageOf } from "./listing.js";
import { CHANGES } from "./statements.js";

function accountView(row: AccountRow) {
  const { plan, status, holds } = row;
  return {
    ...{ accountId: row.id, plan, status, holds },
    limits: { apis: row.limitApis, keys: row.limitKeys, workspaces: row.limitWorkspaces },
    usage: { apis: row.usedApis, keys: row.usedKeys, workspaces: row.usedWorkspaces },
  };
}

/** The properties of an account that operators set. */
type AccountSettings = Pick<AccountRow, "plan" | "status" | "limitApis" | "limitKeys" | "limitWorkspaces" | "holds">;

/** Sets some properties. The audit entry has the properties that differ. */
async function setAccount(
  store: RequestStore,
  { id, by }: { id: string; by: Author & { command: string } },
  settingsOf: (account: AccountRow) => Partial<AccountSettings>,
): Promise<object> {
  const { isChanged, target } = await changed<AccountRow>(store, { kind: "account", id, by }, (account) => {
    const settings = settingsOf(account);
    const { plan, status, limitApis, limitKeys, limitWorkspaces, holds } = { ...account, ...settings };
    const differing = Object.entries(settings).filter(([name, value]) => {
      const own = Object.entries(account).find(([field]) => field === name);
      return JSON.stringify(own?.[1]) !== JSON.stringify(value);
    });
    if (differing.length === 0) return undefined;
    const names = new Set(differing.map(([name]) => name));
    return {
      statement: CHANGES.account,
      values: [plan, status, limitApis, limitKeys, holds, limitWorkspaces],
      before: Object.fromEntries(Object.entries(account).filter(([name]) => names.has(name))),
      change: Object.fromEntries(differing),
    };
  });
  return { changed: isChanged, account: accountView(target) };
}

const hold = z
  .string("is required")
  .regex(/^[a-z][a-z0-9_]{0,63}$/, "must be a word of lower-case letters, digits or _");
const limit = wholeNumber(0, 2_147_483_647).optional();

/** More holds than any account needs: every decision reads them. */
const MOST_HOLDS = 20;

export const ACCOUNT_ACTIONS = [
  reading(
    {
      name: "accounts.list",
      summary: "lists accounts, by their ids",
      input: { ...page, status: z.enum(ACCOUNT_STATUSES).optional() },
    },
    async (store, { limit, after, status = null }) => {
      const { rows, next } = await pageOf<AccountRow>(store, "accounts", { limit, after, of: status });
      return { accounts: rows.map(accountView), next };
    },
  ),
  reading({ name: "accounts.get", summary: "shows an account", input: { id } }, async (store, { id }) => ({
    account: accountView((await snapshotOf<AccountRow>(store, "account", id)).target),
  })),
  changing(
    {
      name: "accounts.update",
      summary: "sets the plan, the status or the limits of an account",
      input: {
        id,
        plan: z.enum(PLANS).optional(),
        status: z.enum(ACCOUNT_STATUSES).optional(),
        apis: limit,
        keys: limit,
        workspaces: limit,
      },
    },
    async (store, { id, plan, status, apis, keys, workspaces }, by) => {
      const settings: Partial<AccountSettings> = {
        ...(plan && { plan }),
        ...(status && { status }),
        ...(apis !== undefined && { limitApis: apis }),
        ...(keys !== undefined && { limitKeys: keys }),
        ...(workspaces !== undefined && { limitWorkspaces: workspaces }),
      };
      if (Object.keys(settings).length === 0)
        throw new ActionRefused("nothing to set: name a plan, a status or a limit");
      return setAccount(store, { id, by }, () => settings);
    },
  ),
  changing(
    { name: "accounts.suspend", summary: "suspends an account: nothing in it is created or changed", input: { id } },
    (store, { id }, by) => setAccount(store, { id, by }, () => ({ status: "suspended" })),
  ),
  changing(
    { name: "accounts.lift", summary: "lifts the suspension of an account: it is active again", input: { id } },
    (store, { id }, by) =>
      setAccount(store, { id, by }, ({ status }) => (status === "suspended" ? { status: "active" } : {})),
  ),
  changing(
    {
      name: "accounts.hold",
      summary: "puts an account on hold, as in --hold legal: nothing in it is created or changed",
      input: { id, hold },
    },
    (store, { id, hold }, by) =>
      setAccount(store, { id, by }, ({ holds }) => {
        if (holds.includes(hold)) return {};
        if (holds.length >= MOST_HOLDS)
          throw new ActionRefused(`the account has ${MOST_HOLDS} holds, the most there can be`);
        return { holds: [...holds, hold] };
      }),
  ),
  changing(
    { name: "accounts.release", summary: "ends a hold of an account; others stay", input: { id, hold } },
    (store, { id, hold }, by) =>
      setAccount(store, { id, by }, ({ holds }) => ({ holds: holds.filter((other) => other !== hold) })),
  ),
];
