/** A page for each error of the service, by its path in the site, and an index page. */
export declare function errorPages(root: string): readonly (readonly [path: string, text: string])[];
