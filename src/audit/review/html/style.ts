/**
 * The style of the page: system fonts, light and dark, and print. Content out of view is not laid out, so that a review
 * of hundreds of policies opens at once.
 */

export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--band:#f6f8fa;--link:#0550ae;--focus:#0550ae;
--ok:#116329;--okbg:#dafbe1;--maybe:#6e4c00;--maybebg:#fff3c4;--no:#8c1d18;--nobg:#ffe2df;--code:#f0f2f5}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--fg:#e6edf3;--soft:#9aa7b4;--line:#333c47;--band:#171d24;--link:#7cb7ff;--focus:#7cb7ff;
--ok:#7ee2a0;--okbg:#0f2f1b;--maybe:#f2cc60;--maybebg:#332a0c;--no:#ffa198;--nobg:#3b1512;--code:#1d252e}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main,footer{max-width:76rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2.5rem}
main>section:not(#what-if),.rule,.change,.sides,section section{content-visibility:auto;contain-intrinsic-size:auto 20rem}
h1,h2,h3,h4,p,li,td,th{overflow-wrap:anywhere}
td,th{min-width:5rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.01em}
h2{font-size:1.4rem;margin:3rem 0 .75rem;padding-bottom:.3rem;border-bottom:2px solid var(--line)}
h3{font-size:1.1rem;margin:2rem 0 .5rem}
h4{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.5rem 0;max-width:60rem}
a{color:var(--link)}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:3px}
code,pre,textarea.json{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--code);padding:.08em .3em;border-radius:4px;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem}
dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1.25rem;margin:1rem 0}
dl.facts dt{color:var(--soft)}
dl.facts dd{margin:0;overflow-wrap:anywhere}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0;margin:1.25rem 0}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem;font-size:.94rem}
caption{text-align:left;color:var(--soft);padding:.25rem 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .7rem;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line);background:var(--band)}
tbody th{font-weight:600}
th.group{background:var(--band);font-weight:600}
td ul,dd ul,.words ul{margin:.1rem 0;padding-left:1.2rem}
.yes,.maybe,.no{display:inline-block;padding:0 .5em;border-radius:1em;font-size:.88em;font-weight:600;white-space:nowrap}
.yes{color:var(--ok);background:var(--okbg)}
.maybe{color:var(--maybe);background:var(--maybebg)}
.no{color:var(--no);background:var(--nobg)}
.plain{color:var(--soft)}
.rule{border:1px solid var(--line);border-radius:8px;margin:.75rem 0;display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr)}
.rule>div{padding:.7rem .9rem}
.rule h4{margin:0 0 .3rem}
.src{margin:0;padding:.7rem .9rem;background:var(--band);border-radius:0 8px 8px 0;white-space:pre-wrap;overflow-wrap:anywhere}
.src b{color:var(--soft);font-weight:400}
.request{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--code);border-radius:4px;padding:.3rem .5rem;margin:.2rem 0}
.conclusion{border:2px solid var(--line);border-radius:8px;padding:.5rem 1rem;margin:1rem 0}
.change,.sides{border:1px solid var(--line);border-radius:8px;margin:.75rem 0;padding:.4rem .9rem .7rem}
.change h4,.sides h4{margin:.3rem 0}
.sides{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 1rem}
.sides h4{grid-column:1/-1}
h5{font-size:.9rem;margin:.2rem 0;color:var(--soft)}
.sides .src{border-radius:8px}
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
.result{position:sticky;top:.5rem;max-height:calc(100vh - 1rem);overflow:auto}
.result pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
.result pre span{display:block;min-height:1.5em}
.outcome{border:2px solid var(--line);border-radius:8px;padding:.75rem 1rem}
.outcome p{margin:.15rem 0}
.outcome .big{font-size:1.35rem;font-weight:700}
.tree,.tree ul{list-style:none;padding-left:1.1rem;margin:.2rem 0}
.tree{padding-left:0}
summary{cursor:pointer}
footer{margin-top:3rem;padding-bottom:3rem;color:var(--soft);font-size:.9rem}
@media (max-width:60rem){.panel,.rule,.sides{grid-template-columns:minmax(0,1fr)}.result{position:static;max-height:none}.src{border-radius:0 0 8px 8px}}
@media print{main>section:not(#what-if),.rule,.change,.sides,section section{content-visibility:visible}
:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#999;--band:#f3f3f3;--link:#000;--code:#f3f3f3;--ok:#000;--okbg:#fff;--maybe:#000;--maybebg:#fff;--no:#000;--nobg:#fff}
body{font-size:10pt}header,main,footer{max-width:none;padding:0}nav,#what-if,.skip{display:none}
h2{break-after:avoid;margin-top:1.5rem}h3,h4{break-after:avoid}.rule,.change,.sides,dl.sign,tr{break-inside:avoid}a{text-decoration:none}
.wide{overflow:visible}.yes,.maybe,.no{border:1px solid #666}thead{display:table-header-group}
table{font-size:8.5pt}th,td{padding:.25rem .4rem}@page{margin:16mm 14mm}}
`;
