(()=>{var e={1:(e,t,r)=>{r.d(t,{a:()=>n});const n=1},2:(e,t,r)=>{ {{repeat:80:var o=r(1);console.log(o.a);}} } };})();
