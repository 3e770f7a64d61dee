------------------------------ MODULE journal ------------------------------
(***************************************************************************)
(* The journal of svc on one database with a standby, written by several    *)
(* nodes.  models/README.md says in plain words what is modelled, what is  *)
(* not, and which file of the code each action stands for.                  *)
(*                                                                         *)
(* A log is a sequence of records, and a signed state is a sequence too:    *)
(* a hash of a tree stands for everything before it.  A record is the       *)
(* number of its request.  A batch is one record.                           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Nodes,          \* the services
    None,           \* nobody has the lock
    Orphan,         \* a transaction whose node is gone, or waits no more
    MaxRecords,     \* requests that are ever made
    NodeCrashes,    \* how often nodes are killed, together
    FolderLosses,   \* how often a data folder is lost, together
    DatabaseCrashes,
    Failovers,
    Rewinds,        \* how often an older copy of the database is put in its place
    Restores,       \* how often the database and every folder are put back together, from before
    Returns,        \* how often the primary from before a failover comes back and takes writes
    Synchronous,    \* TRUE: a commit waits for the standby
    \* Defects that are switched on to see that they are found.
    SignsEarly,     \* a node signs before its transaction is committed
    JoinsFreely,    \* a node without memory takes any database for the log
    SignsBlindly,   \* a node signs its batch without a look at what it signed meanwhile
    SignsUnsettled, \* a node signs what a database shows after a crash, replicated or not
    TakesFirst,     \* a node takes any database that takes writes
    ForgetsStandby, \* a node that was down during a failover does not know that there was a standby
    AsksNoWitness   \* a start does not ask what a witness saw

NoMemory == << 0 >> \* no log begins with it

VARIABLES
    wal,       \* what the primary has flushed
    visible,   \* how much of it is committed for others to see
    up,        \* whether the primary runs
    standby,   \* what the standby has flushed
    attached,  \* whether there is a standby
    holder,    \* who has the lock
    life,      \* of each node: "down", "up" or "closed"
    stage,     \* of each node: "idle", "inserted", "flushed" or "committed"
    record,    \* of each node: the record of its transaction
    mine,      \* of each node: the log that its transaction makes
    mem,       \* of each node: the newest state that it signed since its start
    kept,      \* of each node: the state in its folder
    signed,    \* every state that was ever signed
    answered,  \* every record that was ever answered, with its place
    reader,    \* the newest state that a reader was given, by whichever node
    next,      \* the next request
    budget,    \* how much may still go wrong
    lost,      \* a failover to a standby that lacked what was signed or committed
    rewound,   \* an older copy is in the place of the log
    oldWal,    \* what the primary from before the failover has, once there was one
    oldUp,     \* whether it runs, and takes writes
    newer,     \* of each node: whether it has worked on the primary from after the failover
    onOld,     \* of each node: whether it is connected to the primary from before
    witness    \* the newest state that a witness saw

vars == << wal, visible, up, standby, attached, holder, life, stage, record, mine, mem, kept, signed, answered, reader,
           next, budget, lost, rewound, oldWal, oldUp, newer, onOld, witness >>

oldVars == << oldWal, oldUp, newer, onOld, witness >>
nodeVars == << life, stage, record, mine, mem, kept >>
databaseVars == << wal, visible, up, standby, attached >>
seenVars == << signed, answered, reader >>

IsPrefix(s, t) == Len(s) <= Len(t) /\ SubSeq(t, 1, Len(s)) = s
Head_ == SubSeq(wal, 1, visible)
Remembers(n) == kept[n] # NoMemory

\* Whether a commit that follows on what is visible now would return: the standby has everything before it.
Settled(s) == ~Synchronous \/ ~attached \/ IsPrefix(s, standby)
MaySign(s) == SignsUnsettled \/ Settled(s)

Spend(what) == budget[what] > 0 /\ budget' = [budget EXCEPT ![what] = @ - 1]

Init ==
    /\ wal = << >> /\ visible = 0 /\ up = TRUE
    /\ standby = << >> /\ attached = TRUE /\ holder = None
    \* The first node began the log, and the others have joined it.
    /\ life = [n \in Nodes |-> "up"] /\ stage = [n \in Nodes |-> "idle"] /\ record = [n \in Nodes |-> 0]
    /\ mine = [n \in Nodes |-> << >>] /\ mem = [n \in Nodes |-> << >>] /\ kept = [n \in Nodes |-> << >>]
    /\ signed = {<< >>} /\ answered = {} /\ reader = << >> /\ next = 1
    /\ budget = [node |-> NodeCrashes, folder |-> FolderLosses, database |-> DatabaseCrashes, failover |-> Failovers,
                 rewind |-> Rewinds, restore |-> Restores, return |-> Returns]
    /\ lost = FALSE /\ rewound = FALSE
    /\ oldWal = NoMemory /\ oldUp = FALSE
    /\ newer = [n \in Nodes |-> FALSE] /\ onOld = [n \in Nodes |-> FALSE] /\ witness = << >>

----------------------------------------------------------------------------
\* A node that finds the log not grown from what it signed signs nothing any more.

Close(n) ==
    /\ life' = [life EXCEPT ![n] = "closed"]
    /\ stage' = [stage EXCEPT ![n] = "idle"]

\* The transaction: lock, head, growth, insert.
Insert(n) ==
    /\ up /\ ~onOld[n] /\ holder = None /\ life[n] = "up" /\ stage[n] = "idle" /\ next <= MaxRecords
    /\ IF IsPrefix(mem[n], Head_)
       THEN LET grown == Append(Head_, next) IN
            /\ holder' = n /\ next' = next + 1
            /\ stage' = [stage EXCEPT ![n] = "inserted"]
            /\ record' = [record EXCEPT ![n] = next]
            /\ mine' = [mine EXCEPT ![n] = grown]
            /\ signed' = IF SignsEarly THEN signed \cup {grown} ELSE signed
            /\ UNCHANGED life
       ELSE /\ Close(n)
            /\ UNCHANGED << holder, next, record, mine, signed >>
    /\ UNCHANGED << databaseVars, mem, kept, answered, reader, budget, lost, rewound, oldVars >>

\* The primary flushes the commit.  Others do not see it before the standby has it.
Flush(n) ==
    /\ up /\ holder = n /\ stage[n] = "inserted"
    /\ wal' = mine[n]
    /\ stage' = [stage EXCEPT ![n] = "flushed"]
    /\ UNCHANGED << visible, up, standby, attached, holder, life, record, mine, mem, kept, seenVars, next, budget, lost,
                    rewound, oldVars >>

\* The commit returns, and the lock is free.
Commit ==
    /\ up /\ holder # None /\ Len(wal) > visible /\ Settled(wal)
    /\ visible' = Len(wal) /\ holder' = None
    /\ stage' = [n \in Nodes |-> IF n = holder /\ stage[n] = "flushed" THEN "committed" ELSE stage[n]]
    /\ UNCHANGED << wal, up, standby, attached, life, record, mine, mem, kept, seenVars, next, budget, lost, rewound,
                    oldVars >>

\* The node signs the state that its transaction made, and answers with it.  Its readers may have been given another
\* history since, after a failover.
SignAndAnswer(n) ==
    /\ life[n] = "up" /\ stage[n] = "committed"
    /\ IF SignsBlindly \/ IsPrefix(mem[n], mine[n]) \/ IsPrefix(mine[n], mem[n])
       THEN /\ signed' = signed \cup {mine[n]}
            /\ answered' = answered \cup {<< Len(mine[n]), record[n] >>}
            /\ mem' = [mem EXCEPT ![n] = IF Len(mem[n]) < Len(mine[n]) THEN mine[n] ELSE mem[n]]
            /\ kept' = [kept EXCEPT ![n] = mem'[n]]
            /\ stage' = [stage EXCEPT ![n] = "idle"]
            /\ UNCHANGED life
       ELSE /\ Close(n)
            /\ UNCHANGED << signed, answered, mem, kept >>
    /\ UNCHANGED << databaseVars, holder, record, mine, reader, next, budget, lost, rewound, oldVars >>

\* The node waits no more: it answers 503, and the transaction may still be committed.
GiveUp(n) ==
    /\ life[n] = "up" /\ stage[n] = "flushed"
    /\ stage' = [stage EXCEPT ![n] = "idle"]
    /\ holder' = IF holder = n THEN Orphan ELSE holder
    /\ UNCHANGED << databaseVars, life, record, mine, mem, kept, seenVars, next, budget, lost, rewound, oldVars >>

\* A reader asks a node for the newest state.
Read(n) ==
    /\ up /\ ~onOld[n] /\ life[n] = "up"
    /\ IF IsPrefix(mem[n], Head_)
       THEN /\ MaySign(Head_)
            /\ signed' = signed \cup {Head_}
            /\ mem' = [mem EXCEPT ![n] = Head_]
            \* The folder remembers a state before anyone is given it.
            /\ kept' = [kept EXCEPT ![n] = Head_]
            /\ reader' = Head_
            /\ newer' = [newer EXCEPT ![n] = @ \/ oldWal # NoMemory]
            /\ UNCHANGED << life, stage >>
       ELSE /\ Close(n)
            /\ UNCHANGED << signed, mem, kept, reader, newer >>
    /\ UNCHANGED << databaseVars, holder, record, mine, answered, next, budget, lost, rewound, oldWal, oldUp, onOld,
                    witness >>

\* A witness is given a state that was signed, and sees that it has grown from the one before.
Witness(n) ==
    /\ life[n] = "up" /\ witness # mem[n] /\ IsPrefix(witness, mem[n])
    /\ witness' = mem[n]
    /\ UNCHANGED << databaseVars, holder, nodeVars, seenVars, next, budget, lost, rewound, oldWal, oldUp, newer, onOld >>

----------------------------------------------------------------------------
\* What goes wrong.

Crash(n) ==
    /\ life[n] # "down" /\ Spend("node")
    /\ life' = [life EXCEPT ![n] = "down"]
    /\ stage' = [stage EXCEPT ![n] = "idle"]
    /\ mem' = [mem EXCEPT ![n] = << >>]
    /\ holder' = CASE holder = n /\ stage[n] = "inserted" -> None
                   [] holder = n /\ stage[n] = "flushed" -> Orphan
                   [] OTHER -> holder
    /\ onOld' = [onOld EXCEPT ![n] = FALSE]
    /\ UNCHANGED << databaseVars, record, mine, kept, seenVars, next, lost, rewound, oldWal, oldUp, newer, witness >>

LoseFolder(n) ==
    /\ life[n] = "down" /\ Remembers(n) /\ Spend("folder")
    \* Somebody else still knows the log.
    /\ \E m \in Nodes \ {n} : Remembers(m)
    /\ kept' = [kept EXCEPT ![n] = NoMemory]
    /\ newer' = [newer EXCEPT ![n] = FALSE]
    /\ UNCHANGED << databaseVars, holder, life, stage, record, mine, mem, seenVars, next, lost, rewound, oldWal, oldUp,
                    onOld, witness >>

\* A start goes by the folder; one that is empty joins at the newest state that another folder has.
Known(n) ==
    IF Remembers(n) THEN kept[n]
    ELSE IF JoinsFreely THEN << >>
    ELSE LET others == {kept[m] : m \in {o \in Nodes : Remembers(o)}}
         IN CHOOSE s \in others : \A t \in others : Len(t) <= Len(s)

\* Two that take writes are refused.
MayTake == up /\ (TakesFirst \/ ~oldUp)

\* The primary from before, alone: a node that has worked on the one after it refuses it, and so does one that remembers the
\* log, which had a standby, while no other host says that it takes no writes.
MayTakeOld(n) == oldUp /\ (TakesFirst \/ (~up /\ ~newer[n] /\ (ForgetsStandby \/ ~Remembers(n))))

Start(n) ==
    /\ MayTake /\ life[n] = "down"
    /\ IF IsPrefix(Known(n), Head_) /\ (AsksNoWitness \/ IsPrefix(witness, Head_))
       THEN /\ MaySign(Head_)
            /\ life' = [life EXCEPT ![n] = "up"]
            /\ signed' = signed \cup {Head_}
            /\ mem' = [mem EXCEPT ![n] = Head_]
            /\ kept' = [kept EXCEPT ![n] = Head_]
            /\ newer' = [newer EXCEPT ![n] = oldWal # NoMemory]
       ELSE /\ life' = [life EXCEPT ![n] = "closed"]
            /\ UNCHANGED << signed, mem, kept, newer >>
    /\ UNCHANGED << databaseVars, holder, stage, record, mine, answered, reader, next, budget, lost, rewound, oldWal,
                    oldUp, onOld, witness >>

\* The same on the primary from before, whose operator lets it go on without a standby.
StartOld(n) ==
    /\ MayTakeOld(n) /\ life[n] = "down" /\ IsPrefix(Known(n), oldWal)
    /\ life' = [life EXCEPT ![n] = "up"] /\ onOld' = [onOld EXCEPT ![n] = TRUE]
    /\ signed' = signed \cup {oldWal}
    /\ mem' = [mem EXCEPT ![n] = oldWal] /\ kept' = [kept EXCEPT ![n] = oldWal]
    /\ UNCHANGED << databaseVars, holder, stage, record, mine, answered, reader, next, budget, lost, rewound, oldWal,
                    oldUp, newer, witness >>

\* A node that lost its connection looks for the primary again.
Reconnect(n) ==
    /\ life[n] = "up" /\ stage[n] = "idle"
    /\ IF onOld[n] THEN MayTake ELSE MayTakeOld(n)
    /\ onOld' = [onOld EXCEPT ![n] = ~@]
    /\ UNCHANGED << databaseVars, holder, nodeVars, seenVars, next, budget, lost, rewound, oldWal, oldUp, newer, witness >>

\* A record on the primary from before, from the lock to the signature.
WriteOld(n) ==
    /\ oldUp /\ onOld[n] /\ life[n] = "up" /\ stage[n] = "idle" /\ next <= MaxRecords
    /\ IF IsPrefix(mem[n], oldWal)
       THEN /\ oldWal' = Append(oldWal, next) /\ next' = next + 1
            /\ signed' = signed \cup {oldWal'}
            /\ mem' = [mem EXCEPT ![n] = oldWal'] /\ kept' = [kept EXCEPT ![n] = oldWal']
            /\ UNCHANGED << life, stage >>
       ELSE /\ Close(n)
            /\ UNCHANGED << oldWal, next, signed, mem, kept >>
    /\ UNCHANGED << databaseVars, holder, record, mine, answered, reader, budget, lost, rewound, oldUp, newer, onOld,
                    witness >>

DatabaseStops ==
    /\ up' = FALSE /\ holder' = None
    \* Whoever waited has an answer: 503.
    /\ stage' = [n \in Nodes |-> IF stage[n] = "committed" THEN "committed" ELSE "idle"]

DatabaseCrash ==
    /\ up /\ Spend("database") /\ DatabaseStops
    /\ UNCHANGED << wal, visible, standby, attached, life, record, mine, mem, kept, seenVars, next, lost, rewound,
                    oldVars >>

\* Recovery shows everything that was flushed, also what no standby has.
DatabaseRestart ==
    /\ ~up /\ up' = TRUE /\ visible' = Len(wal)
    /\ UNCHANGED << wal, standby, attached, holder, nodeVars, seenVars, next, budget, lost, rewound, oldVars >>

Replicate ==
    /\ attached /\ up /\ Len(standby) < Len(wal)
    /\ standby' = SubSeq(wal, 1, Len(standby) + 1)
    /\ UNCHANGED << wal, visible, up, attached, holder, nodeVars, seenVars, next, budget, lost, rewound, oldVars >>

\* States that were signed, or will be: a node that was told of its commit signs it.
Promised == signed \cup {mine[n] : n \in {o \in Nodes : stage[o] = "committed"}}

\* The standby takes the place of a primary that is gone, for good or for a while.
Failover ==
    /\ ~up /\ attached /\ Spend("failover")
    /\ wal' = standby /\ visible' = Len(standby) /\ up' = TRUE
    /\ attached' = FALSE /\ standby' = << >>
    /\ lost' = (lost \/ \E s \in Promised : ~IsPrefix(s, standby))
    /\ oldWal' = wal /\ oldUp' = FALSE
    /\ UNCHANGED << holder, nodeVars, seenVars, next, rewound, newer, onOld, witness >>

\* The primary from before comes back, and takes writes.
Return ==
    /\ oldWal # NoMemory /\ ~oldUp /\ Spend("return")
    /\ oldUp' = TRUE
    /\ UNCHANGED << databaseVars, holder, nodeVars, seenVars, next, lost, rewound, oldWal, newer, onOld, witness >>

\* A copy of the primary becomes its standby, and from then on commits wait for it.
Attach ==
    /\ up /\ ~attached /\ holder = None
    /\ attached' = TRUE /\ standby' = wal
    /\ UNCHANGED << wal, visible, up, holder, nodeVars, seenVars, next, budget, lost, rewound, oldVars >>

\* Somebody restores a copy that is older than what every folder remembers.
Rewind ==
    /\ up /\ holder = None /\ Spend("rewind")
    /\ \E size \in 0 .. (Len(wal) - 1) :
        /\ \A n \in Nodes : Remembers(n) => size < Len(kept[n])
        /\ wal' = SubSeq(wal, 1, size) /\ visible' = size
        /\ standby' = SubSeq(wal, 1, size)
    /\ rewound' = TRUE
    /\ stage' = [n \in Nodes |-> IF stage[n] = "committed" THEN "committed" ELSE "idle"]
    /\ UNCHANGED << up, attached, holder, life, record, mine, mem, kept, seenVars, next, lost, oldVars >>

\* The database and every folder are put back together, while no node runs.  Nobody here knows what was after that.
Restore ==
    /\ up /\ holder = None /\ \A n \in Nodes : life[n] = "down"
    /\ Spend("restore")
    /\ \E size \in 0 .. (Len(wal) - 1) :
        /\ wal' = SubSeq(wal, 1, size) /\ visible' = size /\ standby' = SubSeq(wal, 1, size)
        /\ kept' = [n \in Nodes |-> IF Len(kept[n]) > size THEN SubSeq(wal, 1, size) ELSE kept[n]]
    /\ rewound' = TRUE
    /\ UNCHANGED << up, attached, holder, life, stage, record, mine, mem, seenVars, next, lost, oldVars >>

----------------------------------------------------------------------------
Next ==
    \/ \E n \in Nodes :
        \/ Insert(n) \/ Flush(n) \/ SignAndAnswer(n) \/ GiveUp(n) \/ Read(n) \/ (Restores > 0 /\ Witness(n))
        \/ Crash(n) \/ LoseFolder(n) \/ Start(n) \/ StartOld(n) \/ Reconnect(n) \/ WriteOld(n)
    \/ Commit \/ Replicate \/ DatabaseCrash \/ DatabaseRestart \/ Failover \/ Return \/ Attach \/ Rewind \/ Restore

\* A service waits for a bounded time, and does what it has to do next.
Fairness == \A n \in Nodes : WF_vars(Flush(n)) /\ WF_vars(GiveUp(n)) /\ WF_vars(SignAndAnswer(n))
Spec == Init /\ [][Next]_vars /\ Fairness

----------------------------------------------------------------------------
\* What must hold.

TypeOK ==
    /\ visible <= Len(wal) /\ Len(wal) <= MaxRecords
    /\ life \in [Nodes -> {"down", "up", "closed"}]
    /\ stage \in [Nodes -> {"idle", "inserted", "flushed", "committed"}]
    /\ holder \in Nodes \cup {None, Orphan}

\* Signed states are one history, but for a failover to a standby that lacked some of it.
OneHistory == \A s, t \in signed : IsPrefix(s, t) \/ IsPrefix(t, s) \/ lost

\* With a standby that commits wait for, no failover lacks anything that was signed.
SignedIsReplicated == Synchronous => ~lost

\* What was answered is in the log, at the place that the answer said.
AnsweredStays ==
    \/ lost \/ rewound
    \/ \A a \in answered : a[1] <= Len(wal) /\ wal[a[1]] = a[2]

\* Nothing is signed that a crash could take away.
SignedIsFlushed == lost \/ rewound \/ \A s \in signed : IsPrefix(s, wal)

\* A node that runs is on the log that its folder remembers.
OnRememberedLog == \A n \in Nodes : life[n] = "up" => Remembers(n) /\ IsPrefix(kept[n], mem[n])

\* No node that runs is on another log than the one that a witness saw.
OnWitnessedLog == \A n \in Nodes : life[n] = "up" => IsPrefix(witness, mem[n]) \/ IsPrefix(mem[n], witness)

\* A reader that goes from node to node never sees the log shrink.
ReaderSeesGrowth == [][lost' \/ IsPrefix(reader, reader')]_reader

\* What a node signs grows, as long as it runs.
NodesSignGrowth == [][\A n \in Nodes : life[n] = "up" /\ life'[n] = "up" => IsPrefix(mem[n], mem'[n])]_mem

\* Nobody waits for ever.
EveryoneIsTold == \A n \in Nodes : stage[n] \in {"inserted", "flushed", "committed"} ~> stage[n] = "idle"
=============================================================================
