/** The text that NOTICE must have. */
export declare function notice(): Promise<string>;
