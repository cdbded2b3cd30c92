/** Policy issues as a terminal shows them. */

export { issueLine } from "../policy/policies-error.js";
