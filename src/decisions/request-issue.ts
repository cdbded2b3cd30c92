/** What is wrong with a request. */

/** What is wrong with a request, and where: `key.roles`. */
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

/** How a verdict names an issue. */
export function invalidRequest(issue: RequestIssue): string {
  return `invalid request: ${issueText(issue)}`;
}
