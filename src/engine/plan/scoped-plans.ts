/** Plans by the scopes of principal and resource. Most questions have no scopes. */

import type { PlacePlans, Plans } from "./plans.js";
import type { PolicyLocation } from "./policy-location.js";
import { RecentCache } from "./recent-cache.js";
import type { PrincipalInput, ResourceInput } from "./subjects.js";

const NO_ROLES: readonly string[] = [];

export class ScopedPlans<T> {
  private readonly plans: Plans<T>;
  private readonly placeOf: (principalScope: string, resourceScope: string) => PolicyLocation;
  private atRoot: PlacePlans<T>;
  private scoped = new RecentCache<PlacePlans<T>>();

  constructor(plans: Plans<T>, placeOf: (principalScope: string, resourceScope: string) => PolicyLocation) {
    this.plans = plans;
    this.placeOf = placeOf;
    this.atRoot = plans.at(placeOf("", ""));
  }

  find(principal: PrincipalInput, resource: ResourceInput, action: string): T {
    const isRoot = principal.scope === "" && resource.scope === "";
    const known = isRoot ? this.atRoot : this.at(principal.scope, resource.scope);
    const plans = known.isFull ? this.anew(principal.scope, resource.scope) : known;
    return plans.find(principal.id, resource.kind, action, principal.roles);
  }

  private at(principalScope: string, resourceScope: string): PlacePlans<T> {
    const known = this.scoped.get(principalScope, resourceScope, NO_ROLES);
    if (known !== undefined) return known;
    const made = this.plans.at(this.placeOf(principalScope, resourceScope));
    this.scoped.set(principalScope, resourceScope, NO_ROLES, made);
    return made;
  }

  /** Drops all plans: callers have invented too many combinations. */
  private anew(principalScope: string, resourceScope: string): PlacePlans<T> {
    this.atRoot = this.plans.at(this.placeOf("", ""));
    this.scoped = new RecentCache();
    return this.at(principalScope, resourceScope);
  }
}
