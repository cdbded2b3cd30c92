/** The program of a review's what-if panel, as text. */
export function buildReviewPanel(): Promise<string>;
