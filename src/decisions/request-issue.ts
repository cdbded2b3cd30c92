/** Faults of requests. */

/** A fault of a request, and the part that has it: `key.roles`. */
export class RequestIssue {
  readonly path: string;
  readonly message: string;
  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }
}

/** An issue in words, with its place if it has one. */
export function issueText({ path, message }: RequestIssue): string {
  return path === "" ? message : `${path} ${message}`;
}

/** The message of an issue in a verdict. */
export function invalidRequest(issue: RequestIssue): string {
  return `invalid request: ${issueText(issue)}`;
}
