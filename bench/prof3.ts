import { shippedSet } from "./decide.js"; import { workload } from "./requests.js";
import { readKey, readResource, readAccount } from "../src/decisions/request.js";
import { evaluate } from "../src/engine/evaluate.js";
const p=await shippedSet(); const rs=workload(10000);
const pre=rs.map((r:any)=>({k:readKey(r.key) as any,res:readResource(r.resource) as any,a:readAccount(r.account) as any,op:r.operation}));
let s=0;
for(let k=0;k<40;k++) for(const r of pre) { if(evaluate(p.permission,r.k,r.res,r.op,undefined).effect==="allow") s++; if(evaluate(p.platform,r.a,r.res,r.op,undefined).effect==="allow") s++; }
for (const op of ["apis.getApi","keys.createKey","keys.updateKey","apis.createApi"]) for (const role of ["admin","custom"]) for (const perm of [0,10]) {
 const r=pre.find(r=>r.op===op&&r.k.roles[0]===role&&(perm===0?r.k.attr.permissions.length===0:r.k.attr.permissions.length>8)&&evaluate(p.permission,r.k,r.res,r.op,undefined).effect===(role==="admin"?"allow":"deny"));
 if(!r) {console.log(op,role,perm,"none"); continue;}
 const t0=performance.now(); for(let i=0;i<300000;i++) if(evaluate(p.permission,r.k,r.res,r.op,undefined).effect==="allow") s++;
 const t1=performance.now(); for(let i=0;i<300000;i++) if(evaluate(p.platform,r.a,r.res,r.op,undefined).effect==="allow") s++;
 const t2=performance.now(); console.log(op,role,r.k.attr.permissions.length,"perm",((t1-t0)/300000*1e6).toFixed(0),"plat",((t2-t1)/300000*1e6).toFixed(0));
}
