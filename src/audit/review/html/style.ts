/**
 * The style of the page: system fonts, light and dark, and print. Content out of view is not laid out, so that a review
 * of hundreds of policies opens at once.
 */

export const STYLE = `
:root{color-scheme:light dark;--bg:#fdfdfc;--fg:#1d2329;--soft:#5a6570;--line:#dde1e5;--band:#f4f5f6;--link:#0b57a8;--focus:#0b57a8;
--ok:#15603a;--okbg:#e3f3e9;--maybe:#6b4e05;--maybebg:#faf0cf;--no:#8d221b;--nobg:#fbe6e3;--code:#f0f2f4}
@media (prefers-color-scheme:dark){:root{--bg:#111519;--fg:#e4e9ee;--soft:#9dabb8;--line:#303943;--band:#191f25;--link:#86bdfb;--focus:#86bdfb;
--ok:#86dba8;--okbg:#12301f;--maybe:#eecb69;--maybebg:#322a10;--no:#ffa79f;--nobg:#3a1a17;--code:#1e262e}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:72rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:3.5rem}
main>section:not(#what-if),.kind,.change,.sides{content-visibility:auto;contain-intrinsic-size:auto 20rem}
h1,h2,h3,h4,p,li,td,th,dd,figcaption{overflow-wrap:anywhere}
td,th{min-width:5rem}
h1{font-size:2.4rem;line-height:1.15;margin:0 0 .5rem;letter-spacing:-.02em;font-weight:650}
h2{font-size:1.5rem;line-height:1.25;margin:4rem 0 1rem;letter-spacing:-.01em;font-weight:620}
h3{font-size:1.15rem;margin:2.5rem 0 .5rem;font-weight:620}
h4{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.5rem 0;max-width:44rem}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.18em}
a.term{color:inherit;text-decoration-style:dotted;text-decoration-color:var(--soft)}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:3px}
code,pre,textarea.json{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--code);padding:.06em .28em;border-radius:4px;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem}
.kicker{color:var(--soft);font-size:.9rem;display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;margin:0 0 .75rem;max-width:none}
.purpose{font-size:1.1rem;color:var(--soft)}
.conclusion{border-left:5px solid var(--line);background:var(--band);border-radius:0 10px 10px 0;padding:1.1rem 1.5rem;margin:1.75rem 0}
.conclusion.good{border-color:var(--ok)}.conclusion.open{border-color:var(--maybe)}.conclusion.bad{border-color:var(--no)}
.verdict{font-size:1.35rem;line-height:1.35;font-weight:620;margin:0 0 .5rem;max-width:none}
.statements{list-style:none;padding:0;margin:.25rem 0;display:grid;gap:.15rem}
.statements li{padding-left:1.6rem;text-indent:-1.6rem}
.statements li::before{content:"\\00b7";display:inline-block;width:1.6rem;text-indent:0;font-weight:700;color:var(--soft)}
.statements .good::before{content:"\\2713";color:var(--ok)}
.statements .open::before{content:"!";color:var(--maybe)}
.statements .bad::before{content:"\\2715";color:var(--no)}
dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1.25rem;margin:1rem 0}
dl.facts dt{color:var(--soft)}
dl.facts dd{margin:0;overflow-wrap:anywhere}
dl.glossary{columns:2;column-gap:3rem;margin:1rem 0}
dl.glossary div{break-inside:avoid;margin-bottom:.6rem}
dl.glossary dt{font-weight:620}
dl.glossary dd{margin:0;color:var(--soft)}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;list-style:none;padding:0;margin:1.5rem 0 0}
.legend,.files{display:flex;flex-wrap:wrap;gap:.3rem 1.75rem;list-style:none;padding:0;margin:.75rem 0}
.files{display:block;columns:3;column-gap:2rem;font-size:.9rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.75rem 0 1.25rem;font-size:.94rem}
caption{text-align:left;color:var(--soft);padding:.25rem 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .8rem .5rem 0;border-bottom:1px solid var(--line)}
thead th{border-bottom:1px solid var(--soft);color:var(--soft);font-weight:500;font-size:.94em}
tbody th{font-weight:580}
tbody th .soft{font-weight:400;font-size:.88em}
th.group{padding-top:1.1rem;font-weight:620}
th.group a{color:inherit}
td ul,dd ul,.words ul{margin:.1rem 0;padding-left:1.1rem}
.operations th{width:22%}.operations th+td,.operations th+th{width:42%}
.rules th:first-child{width:24%}.rules td{min-width:4rem}.rules td:last-child{width:46%}
.names th:first-child{width:22%}.names td{width:auto}
.yes,.maybe,.no{display:inline-block;padding:0 .55em;border-radius:1em;font-size:.88em;font-weight:580;white-space:nowrap}
.yes{color:var(--ok);background:var(--okbg)}
.maybe{color:var(--maybe);background:var(--maybebg)}
.no{color:var(--no);background:var(--nobg)}
.plain{color:var(--soft)}
.written{margin:.5rem 0 1.5rem;color:var(--soft)}
.written figure{margin:.75rem 0;color:var(--fg)}
figcaption{font-weight:580;font-size:.94rem}
details.kind{border-top:1px solid var(--line);padding:.45rem 0}
.src{margin:.25rem 0;padding:.7rem .9rem;background:var(--band);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}
.src b{color:var(--soft);font-weight:400}
.request{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--code);border-radius:4px;padding:.3rem .5rem;margin:.2rem 0}
.change,.sides{border:1px solid var(--line);border-radius:8px;margin:.75rem 0;padding:.4rem .9rem .7rem}
.change h4,.sides h4{margin:.3rem 0}
.sides{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 1rem}
.sides h4{grid-column:1/-1}
h5{font-size:.9rem;margin:.2rem 0;color:var(--soft)}
dl.sign{display:grid;grid-template-columns:max-content minmax(0,30rem);gap:1.2rem 1.25rem;margin:1.5rem 0}
dl.sign dd{margin:0;border-bottom:1px solid var(--fg)}
:target{outline:3px solid var(--focus);outline-offset:3px}
fieldset{border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;padding:.6rem .9rem .9rem}
legend{font-weight:600;padding:0 .4rem}
.panel{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.5rem;align-items:start}
.field{display:grid;grid-template-columns:minmax(7rem,2fr) 3fr;gap:.6rem;align-items:center;margin:.35rem 0}
.field label{overflow-wrap:anywhere}
.field small{grid-column:2;color:var(--soft)}
input,select,textarea,button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:5px;padding:.25rem .5rem;max-width:100%}
input[type=text],input[type=number],textarea,select{width:100%}
input[type=checkbox]{width:1.15rem;height:1.15rem;justify-self:start}
button{cursor:pointer;background:var(--band)}
textarea{resize:vertical}
[aria-invalid=true]{border-color:var(--no);outline-color:var(--no)}
.bad{color:var(--no)}
.statements .bad,.conclusion.bad{color:inherit}
.result{position:sticky;top:.5rem;max-height:calc(100vh - 1rem);overflow:auto}
.result pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.result pre span{display:block;min-height:1.5em}
.outcome{border:2px solid var(--line);border-radius:8px;padding:.75rem 1rem}
.outcome p{margin:.15rem 0}
.outcome .big{font-size:1.35rem;font-weight:700}
.tree,.tree ul{list-style:none;padding-left:1.1rem;margin:.2rem 0}
.tree{padding-left:0}
summary{cursor:pointer}
footer{margin-top:4rem;padding-bottom:3rem;color:var(--soft);font-size:.9rem}
@media (max-width:60rem){.panel,.sides{grid-template-columns:minmax(0,1fr)}.result{position:static;max-height:none}dl.glossary,.files{columns:1}.rules th:first-child,.rules td:last-child,.names th:first-child,.operations th,.operations th+td{width:auto}}
@media print{main>section:not(#what-if),.kind,.change,.sides{content-visibility:visible}
:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--band:#f6f6f6;--link:#000;--code:#f3f3f3;--ok:#000;--okbg:#fff;--maybe:#000;--maybebg:#fff;--no:#000;--nobg:#fff}
body{font-size:8.5pt;line-height:1.35}header,main,footer{max-width:none;padding:0}nav,#what-if,.skip,.written,noscript{display:none}
h1{font-size:18pt}.purpose{font-size:10pt}.verdict{font-size:12pt}.conclusion{padding:.5rem .9rem;margin:.7rem 0}
h2{font-size:13pt;break-after:avoid;margin:.9rem 0 .2rem}h3{font-size:10.5pt;margin:.6rem 0 .1rem}h3,h4,caption,th.group{break-after:avoid}.change,.sides,dl.sign,tr{break-inside:avoid}a{text-decoration:none}
p{max-width:none;margin:.25rem 0}.wide{overflow:visible}.yes,.maybe,.no{border:1px solid #666}.yes,.maybe,.no,.plain{font-size:1em;padding:0 .3em;font-weight:400}thead{display:table-header-group}
table{font-size:7.4pt;line-height:1.25;margin:.1rem 0 .3rem}caption{padding:.1rem 0}th,td{padding:.1rem .5rem .1rem 0;min-width:0}th.group{padding-top:.35rem}code{padding:0;background:none}
.claims th .soft{display:inline;padding-left:.6em}.rules td{min-width:3.5em}.operations th div::before{content:" "}.operations ul{list-style:none;padding:0}.operations th div,.operations td div{display:inline}dl.glossary{columns:3;column-gap:1.2rem;font-size:7.5pt;line-height:1.25}dl.glossary div{margin-bottom:.25rem}.files{font-size:7.5pt}
dl.sign{gap:.9rem 1rem;margin:.8rem 0}footer{margin-top:.8rem;padding:0;font-size:7.5pt}summary{list-style:none}details.kind{border:0;padding:0}@page{margin:11mm 12mm}}
`;
