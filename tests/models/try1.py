import sys,time,random
sys.path.insert(0,'.')
from plan import Plan; from world import World; from explorer import search, TooLarge
import redis
def go(lock,**n):
    p=Plan(lock,redis.LOCKS[lock],redis.Redis(),**n)
    t=time.time()
    print(lock, search(World(p),1000000), round(time.time()-t,2))
    return p
base=dict(lease=5,timeout=6,work=["read",3,"write"])
F=lambda k,t,v=(),w=("request","reply"): [dict(kind=k,target=t,most=1,values=v,ways=w)]
for l in redis.LOCKS:
    for b in ([],F("crash","clients"),F("pause","clients",(4,)),F("pause","servers",(4,)),F("delay","clients",(5,)),F("half-open","clients"),F("restart","servers",(2,)),F("evict","servers"),F("partition","clients",(5,)),F("clock-jump","servers",(3,-3)),F("break-connection","clients")):
        print(b[0]["kind"] if b else None, end=" ")
        p=go(l,budget=b,**base)
print(p.toml())
