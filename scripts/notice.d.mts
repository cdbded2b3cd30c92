/** The required text of NOTICE. */
export declare function notice(): Promise<string>;
