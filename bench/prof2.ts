import { decide } from "../src/index.js"; import { shippedSet } from "./decide.js"; import { workload } from "./requests.js";
import { readKey, readResource, readAccount } from "../src/decisions/request.js";
import { evaluate } from "../src/engine/evaluate.js";
import { handDecide } from "./handwritten.js";
const p=await shippedSet(); const rs=workload(Number(process.argv[2]??10000));
function time(name: string, f: (r: any)=>any){ let s=0; for(let k=0;k<10;k++) for(const r of rs) if(f(r)) s++; const ts=[]; for(let k=0;k<15;k++){const t=performance.now(); for(const r of rs) if(f(r)) s++; ts.push((performance.now()-t)/rs.length*1e6);} ts.sort((a,b)=>a-b); console.log(name.padEnd(20), ts[7]!.toFixed(0)); }
time("hand", handDecide as any);
time("readKey", (r)=>readKey(r.key));
time("readResource", (r)=>readResource(r.resource));
time("readAccount", (r)=>readAccount(r.account));
const pre=rs.map((r:any)=>({k:readKey(r.key) as any,res:readResource(r.resource) as any,a:readAccount(r.account) as any,op:r.operation}));
function time2(name: string, f: (r: any)=>any){ let s=0; for(let k=0;k<10;k++) for(const r of pre) if(f(r)) s++; const ts=[]; for(let k=0;k<15;k++){const t=performance.now(); for(const r of pre) if(f(r)) s++; ts.push((performance.now()-t)/rs.length*1e6);} ts.sort((a,b)=>a-b); console.log(name.padEnd(20), ts[7]!.toFixed(0)); }
time2("permission", (r)=>evaluate(p.permission,r.k,r.res,r.op,undefined).effect==="allow");
time2("platform", (r)=>evaluate(p.platform,r.a,r.res,r.op,undefined).effect==="allow");
time2("platform read", (r)=>evaluate(p.platform,r.a,r.res,"apis.getApi",undefined).effect==="allow");

time("decide", (r)=>decide(p,r).outcome==="allow");
