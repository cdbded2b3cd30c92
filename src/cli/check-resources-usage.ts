/** Apart from the command, which loads the API's messages: the usage is shown without it. */

export const CHECK_RESOURCES_USAGE =
  "keyward check-resources --policies DIR|BUNDLE [--public-key FILE] [--input FILE] [--globals FILE] [--lenient-scope-search]\n" +
  "      [--schema-enforcement none|warn|reject] [--strict-evaluation] [--fail-closed]\n" +
  "      [--now T] [--insecure-jwt] [--permission-only] [--locked] [--follow-links]";
