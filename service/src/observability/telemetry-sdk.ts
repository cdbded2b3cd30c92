/**
 * Starts the OpenTelemetry SDK, which exports traces and metrics, if the standard variables ask for it. The SDK reads
 * these variables by itself (https://opentelemetry.io/docs/languages/sdk-configuration/).
 */

import { ProxyTracerProvider, trace } from "@opentelemetry/api";
import { ConfigInvalid } from "../config/config.js";

/** A variable that says where traces or metrics go. */
const DESTINATIONS = /^OTEL_(?:(?:TRACES|METRICS)_EXPORTER|EXPORTER_OTLP_(?:(?:TRACES|METRICS)_)?ENDPOINT)$/;

type Environment = { readonly [name: string]: string | undefined };

/** True if the environment asks for traces or metrics. */
export function isTelemetryConfigured(environment: Environment): boolean {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  return Object.entries(environment).some(
    ([name, value]) => DESTINATIONS.test(name) && value !== undefined && value !== "",
  );
}

export interface TelemetrySdk {
  /** Sends the rest. */
  shutdown(): Promise<void>;
}

const SDK = "@opentelemetry/sdk-node";

/** Not a constant for the compiler: the service is built and runs without the optional package. */
const NAME: string = SDK;

/**
 * Starts the SDK; undefined if nothing asks for it, or if the program was started with one (`node --import`). Rejects with
 * {@link ConfigInvalid} if the package is not installed.
 */
export async function startTelemetry(
  environment: Environment,
  load: () => Promise<unknown> = () => import(NAME),
): Promise<TelemetrySdk | undefined> {
  if (!isTelemetryConfigured(environment) || isStarted()) return undefined;
  const module = await load().catch((error: unknown) => {
    throw new ConfigInvalid(
      `OTEL_… variables ask for traces or metrics, and ${SDK} cannot be loaded: npm install ${SDK}`,
      {
        cause: error,
      },
    );
  });
  if (!isSdk(module)) throw new ConfigInvalid(`${SDK} has no NodeSDK: install another version`);
  const { OTEL_SERVICE_NAME: name = "keyward-service" } = environment;
  const sdk = new module.NodeSDK({ serviceName: name });
  sdk.start();
  return sdk;
}

function isStarted(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("keyward-service") !== undefined;
}

interface SdkModule {
  readonly NodeSDK: new (options: { readonly serviceName: string }) => TelemetrySdk & { start(): void };
}

function isSdk(module: unknown): module is SdkModule {
  return typeof module === "object" && module !== null && "NodeSDK" in module && typeof module.NodeSDK === "function";
}

const END_MS = 5_000;

/** Sends the rest, for five seconds at most. Never rejects: the collector may be away. */
export async function endTelemetry(sdk: TelemetrySdk | undefined): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, END_MS).unref());
  await Promise.race([sdk?.shutdown().catch(() => {}), late]);
}
