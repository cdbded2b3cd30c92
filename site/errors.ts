/** Prints the pages of the service's errors, as JSON. */

import { ERROR_PAGES } from "../service/src/http/error-pages.js";

process.stdout.write(JSON.stringify(ERROR_PAGES));
