/** Apart from the commands, which load the API's messages: the usage is shown without them. */

const OPTIONS =
  "--policies DIR|BUNDLE [--public-key FILE] [--input FILE] [--globals FILE] [--lenient-scope-search]\n" +
  "      [--schema-enforcement none|warn|reject] [--strict-evaluation] [--fail-closed]\n" +
  "      [--now T] [--insecure-jwt] [--permission-only] [--locked] [--follow-links]";

export const CHECK_RESOURCES_USAGE = `keyward check-resources ${OPTIONS}`;
export const PLAN_RESOURCES_USAGE = `keyward plan-resources ${OPTIONS}`;
