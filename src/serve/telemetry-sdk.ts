/** Starts the user's OpenTelemetry SDK, which reads its configuration from the standard variables. */

/** A variable that says where traces or metrics go. */
const CONFIGURES = /^OTEL_(?:(?:TRACES|METRICS)_EXPORTER|EXPORTER_OTLP_(?:(?:TRACES|METRICS)_)?ENDPOINT)$/;

/** True if the environment asks for traces or metrics. */
export function isTelemetryConfigured(environment: { readonly [name: string]: string | undefined }): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  return Object.entries(environment).some(
    ([name, value]) => CONFIGURES.test(name) && value !== undefined && value !== "",
  );
}

export interface TelemetrySdk {
  /** Sends the rest. */
  shutdown(): Promise<void>;
}

interface SdkModule {
  readonly NodeSDK: new () => TelemetrySdk & { start(): void };
}

/** Not a literal: the package is the user's, and programs are type-checked and bundled without it. */
const SDK: string = "@opentelemetry/sdk-node";

/** Rejects with Node's `ERR_MODULE_NOT_FOUND` if the SDK is not installed. */
export async function startTelemetrySdk(): Promise<TelemetrySdk> {
  const module: unknown = await import(SDK);
  if (!isSdk(module)) throw new Error(`${SDK} has no NodeSDK`);
  const sdk = new module.NodeSDK();
  sdk.start();
  return sdk;
}

function isSdk(module: unknown): module is SdkModule {
  return typeof module === "object" && module !== null && "NodeSDK" in module && typeof module.NodeSDK === "function";
}
