/** Declares the part of autocannon that these benchmarks use: the package has no declarations. */

declare module "autocannon" {
  interface Options {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly method: "POST";
    readonly headers: { readonly [name: string]: string };
    readonly body: string;
  }
  interface Result {
    readonly requests: { readonly average: number; readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly errors: number;
    readonly timeouts: number;
    readonly statusCodeStats: { readonly [status: string]: { readonly count: number } };
  }
  function autocannon(options: Options): Promise<Result>;
  export = autocannon;
}
