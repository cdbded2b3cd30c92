import { shippedSet } from "./decide.js"; import { workload } from "./requests.js";
import { readKey, readResource, readAccount } from "../src/decisions/request.js";
import { evaluate } from "../src/engine/evaluate.js";
const p=await shippedSet(); const rs=workload(10000); let s=0;
const pre=rs.map((r:any)=>({k:readKey(r.key) as any,res:readResource(r.resource) as any,a:readAccount(r.account) as any,op:r.operation}));
for(let k=0;k<40;k++) for(const r of pre) { if(evaluate(p.permission,r.k,r.res,r.op,undefined).effect==="allow") s++; if(evaluate(p.platform,r.a,r.res,r.op,undefined).effect==="allow") s++; }
const r=pre.find(r=>r.op==="keys.createKey"&&r.k.roles[0]==="admin")!;
const t=performance.now();
for(let i=0;i<6000000;i++) if(evaluate(p.platform,r.a,r.res,r.op,undefined).effect==="allow") s++;
console.log((performance.now()-t)/6000000*1e6,"ns",s);
