/** Conformance tests that the PDP 0.55.0 fails (observed), or that need an environment it does not have. */

const UNKNOWN = "unknown names are refused when loaded, as by the server; the test runs unchecked expressions";
const DOTTED = "the server's environment declares no variables with dots in their names";
const CONTAINER = "the server's environment has no container";
const DUPLICATE = "in the server, of two equal keys the last one counts, and keys may be doubles";
const INDEX = "in the server, a search that starts beyond the end finds nothing";
const MILLISECONDS = "in the server, a duration's milliseconds are those of all of it, as its seconds are";

const PRESENCE =
  "the server does not set EnableErrorOnBadPresenceTest: what has no fields lacks them, which is no error";

export const CONFORMANCE_DEVIATIONS: ReadonlyMap<string, string> = new Map([
  ["basic/variables/unbound_is_runtime_error", UNKNOWN],
  ["basic/functions/unbound_is_runtime_error", UNKNOWN],
  ["fields/qualified_identifier_resolution/qualified_ident", DOTTED],
  ["fields/qualified_identifier_resolution/map_field_select", DOTTED],
  ["fields/qualified_identifier_resolution/qualified_identifier_resolution_unchecked", DOTTED],
  ["fields/qualified_identifier_resolution/ident_with_longest_prefix_check", DOTTED],
  ["fields/qualified_identifier_resolution/map_key_float", DUPLICATE],
  ["fields/qualified_identifier_resolution/map_value_repeat_key", DUPLICATE],
  ["fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous", DUPLICATE],
  ["namespace/qualified/self_eval_qualified_lookup", DOTTED],
  ["namespace/namespace/self_eval_container_lookup", CONTAINER],
  ["namespace/namespace/self_eval_container_lookup_unchecked", CONTAINER],
  ["optionals/optionals/map_null_entry_no_such_key", PRESENCE],
  ["optionals/optionals/map_present_key_invalid_field", PRESENCE],
  ["parse/receiver_function_names/as", UNKNOWN],
  ["parse/receiver_function_names/break", UNKNOWN],
  ["parse/receiver_function_names/const", UNKNOWN],
  ["parse/receiver_function_names/continue", UNKNOWN],
  ["parse/receiver_function_names/else", UNKNOWN],
  ["parse/receiver_function_names/for", UNKNOWN],
  ["parse/receiver_function_names/function", UNKNOWN],
  ["parse/receiver_function_names/if", UNKNOWN],
  ["parse/receiver_function_names/import", UNKNOWN],
  ["parse/receiver_function_names/let", UNKNOWN],
  ["parse/receiver_function_names/loop", UNKNOWN],
  ["parse/receiver_function_names/package", UNKNOWN],
  ["parse/receiver_function_names/namespace", UNKNOWN],
  ["parse/receiver_function_names/return", UNKNOWN],
  ["parse/receiver_function_names/var", UNKNOWN],
  ["parse/receiver_function_names/void", UNKNOWN],
  ["parse/receiver_function_names/while", UNKNOWN],
  ["string_ext/value_errors/indexof_out_of_range", INDEX],
  ["string_ext/value_errors/lastindexof_out_of_range", INDEX],
  ["timestamps/duration_converters/get_milliseconds", MILLISECONDS],
]);
