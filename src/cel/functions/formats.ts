/** `text.format(list)`. */

import { format } from "../format.js";
import { DYN, list, STRING } from "../types.js";
import { binary, type Overload } from "./overload.js";

export const formatFunctions: readonly Overload[] = [binary("member", "format", STRING, list(DYN), STRING, format)];
