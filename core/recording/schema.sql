CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;       -- tool, version, created, torch_version, host facts
CREATE TABLE str(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL, UNIQUE(kind, text));  -- op, args, path, module, code, body
CREATE TABLE blob(id INTEGER PRIMARY KEY, xxh INTEGER NOT NULL UNIQUE, codec TEXT NOT NULL CHECK(codec IN ('raw','zstd')),
                  raw_bytes INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE type(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, dtype TEXT, device TEXT, layout TEXT, sizes TEXT, strides TEXT,
                  offset_el INTEGER, numel INTEGER, bytes INTEGER, extent_bytes INTEGER, bytes_expr TEXT, trust TEXT);   -- formats.md 16

-- what was read
CREATE TABLE source(id INTEGER PRIMARY KEY, path TEXT NOT NULL, member TEXT, container TEXT NOT NULL, bytes INTEGER NOT NULL,
                    text INTEGER REFERENCES blob(id), made_by TEXT);
CREATE TABLE graph(id INTEGER PRIMARY KEY, source INTEGER REFERENCES source(id), name TEXT NOT NULL, phase TEXT NOT NULL,
                   compile_id TEXT, rank INTEGER, attempt INTEGER, aot_id INTEGER, order_key TEXT NOT NULL, span_begin INTEGER, span_end INTEGER,
                   nodes INTEGER NOT NULL, signature TEXT, notes INTEGER REFERENCES blob(id));
CREATE TABLE symbol(graph INTEGER NOT NULL REFERENCES graph(id), name TEXT NOT NULL, hint INTEGER, min INTEGER, max INTEGER,
                    PRIMARY KEY(graph, name)) WITHOUT ROWID;
CREATE TABLE link(from_graph INTEGER NOT NULL REFERENCES graph(id), from_uid INTEGER NOT NULL, to_graph INTEGER NOT NULL REFERENCES graph(id),
                  to_uid INTEGER NOT NULL, kind TEXT NOT NULL, PRIMARY KEY(from_graph, from_uid, to_graph, to_uid)) WITHOUT ROWID;  -- saved, bound

-- lanes and stages
CREATE TABLE lane(id INTEGER PRIMARY KEY, graph INTEGER NOT NULL REFERENCES graph(id), name TEXT NOT NULL, pipeline TEXT NOT NULL,
                  kind TEXT NOT NULL CHECK(kind IN ('recorded','foreign')), parent INTEGER REFERENCES lane(id), fork_stage INTEGER,
                  state TEXT NOT NULL CHECK(state IN ('running','complete','failed','interrupted','stale')), created TEXT NOT NULL);
CREATE TABLE stage(id INTEGER PRIMARY KEY, lane INTEGER NOT NULL REFERENCES lane(id), idx INTEGER NOT NULL, name TEXT NOT NULL, label TEXT,
                   pass TEXT, options TEXT, state TEXT NOT NULL CHECK(state IN ('ok','failed','skipped')), property TEXT,
                   hash INTEGER NOT NULL, changed INTEGER NOT NULL, nodes INTEGER NOT NULL, added INTEGER NOT NULL, removed INTEGER NOT NULL,
                   modified INTEGER NOT NULL, clones INTEGER NOT NULL, cloned_bytes INTEGER, copies_back INTEGER NOT NULL, copied_back_bytes INTEGER,
                   self_copies INTEGER NOT NULL, rewrites INTEGER NOT NULL, wall_ns INTEGER NOT NULL, source INTEGER REFERENCES source(id),
                   message TEXT, UNIQUE(lane, idx), UNIQUE(lane, name));          -- idx from 1; 1 is 'imported'
CREATE TABLE node(id INTEGER PRIMARY KEY, lane INTEGER NOT NULL REFERENCES lane(id), uid INTEGER NOT NULL, first_stage INTEGER NOT NULL,
                  last_stage INTEGER NOT NULL, ord INTEGER NOT NULL, body INTEGER NOT NULL REFERENCES str(id), kind TEXT NOT NULL, name TEXT NOT NULL,
                  op INTEGER REFERENCES str(id), args INTEGER REFERENCES str(id), type INTEGER REFERENCES type(id), storage INTEGER,
                  module INTEGER REFERENCES str(id), path INTEGER REFERENCES str(id), line INTEGER, fn TEXT, code INTEGER REFERENCES str(id),
                  match REAL, flags INTEGER NOT NULL DEFAULT 0);                   -- body '' = main graph; match = confidence in foreign lanes
CREATE INDEX node_uid ON node(lane, uid, first_stage);
CREATE INDEX node_last ON node(lane, last_stage, first_stage);
CREATE INDEX node_name ON node(lane, name);
CREATE TABLE part(node INTEGER NOT NULL REFERENCES node(id), out INTEGER NOT NULL, type INTEGER REFERENCES type(id), storage INTEGER,
                  PRIMARY KEY(node, out)) WITHOUT ROWID;                           -- values inside a tuple, list or dict result
CREATE TABLE use(node INTEGER NOT NULL REFERENCES node(id), slot INTEGER NOT NULL, arg TEXT, uid INTEGER NOT NULL, out INTEGER,
                 mode TEXT NOT NULL CHECK(mode IN ('read','write','readwrite','meta')), PRIMARY KEY(node, slot)) WITHOUT ROWID;
CREATE INDEX use_uid ON use(uid, node);
CREATE TABLE storage(lane INTEGER NOT NULL REFERENCES lane(id), id INTEGER NOT NULL, first_stage INTEGER NOT NULL, last_stage INTEGER NOT NULL,
                     base_uid INTEGER, role TEXT NOT NULL, bytes INTEGER, bytes_expr TEXT, opaque INTEGER NOT NULL DEFAULT 0,
                     PRIMARY KEY(lane, id, first_stage)) WITHOUT ROWID;                  -- id is the number shown as S3
CREATE INDEX node_storage ON node(lane, storage, first_stage) WHERE storage IS NOT NULL;

-- what passes said
CREATE TABLE rewrite(id INTEGER PRIMARY KEY, stage INTEGER NOT NULL REFERENCES stage(id), seq INTEGER NOT NULL, rule TEXT NOT NULL,
                     state TEXT NOT NULL CHECK(state IN ('applied','failed','skipped')), theorem TEXT, wall_ns INTEGER, message TEXT, UNIQUE(stage, seq));
CREATE TABLE rewrite_node(rewrite INTEGER NOT NULL REFERENCES rewrite(id), side TEXT NOT NULL CHECK(side IN ('before','after')),
                          uid INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(rewrite, side, uid)) WITHOUT ROWID;
CREATE INDEX rewrite_uid ON rewrite_node(uid);
CREATE TABLE decision(id INTEGER PRIMARY KEY, stage INTEGER NOT NULL REFERENCES stage(id), seq INTEGER NOT NULL, uid INTEGER, node TEXT NOT NULL,
                      origin_uid INTEGER, origin TEXT, op TEXT, argument TEXT, verdict TEXT NOT NULL, need TEXT NOT NULL, code TEXT NOT NULL,
                      blocker_uid INTEGER, blocker TEXT, view_uid INTEGER, reported_bytes INTEGER, counted INTEGER NOT NULL DEFAULT 0,
                      cloned_bytes INTEGER, needed_bytes INTEGER, bytes_expr TEXT, rule TEXT, avoided_by TEXT, advice TEXT,
                      params TEXT NOT NULL DEFAULT '{}', UNIQUE(stage, seq));      -- params: JSON object of the sentence's parameters
CREATE INDEX decision_uid ON decision(uid);
CREATE INDEX decision_code ON decision(code);
CREATE TABLE check_step(decision INTEGER NOT NULL REFERENCES decision(id), seq INTEGER NOT NULL, question TEXT NOT NULL,
                        result TEXT NOT NULL CHECK(result IN ('ok','failed','unknown','skipped')), detail TEXT, PRIMARY KEY(decision, seq)) WITHOUT ROWID;
CREATE TABLE chunk_row(stage INTEGER NOT NULL REFERENCES stage(id), uid INTEGER NOT NULL, class TEXT NOT NULL, dim INTEGER, sum INTEGER,
                       scale_uid INTEGER, rule TEXT, PRIMARY KEY(stage, uid)) WITHOUT ROWID;
CREATE TABLE chunk_estimate(stage INTEGER NOT NULL REFERENCES stage(id), chunks INTEGER NOT NULL, peak_bytes INTEGER NOT NULL, chosen INTEGER NOT NULL,
                            PRIMARY KEY(stage, chunks)) WITHOUT ROWID;
CREATE TABLE match_row(id INTEGER PRIMARY KEY, stage INTEGER NOT NULL REFERENCES stage(id), pattern TEXT NOT NULL, root_uid INTEGER NOT NULL,
                       matched INTEGER NOT NULL, total INTEGER NOT NULL, code TEXT NOT NULL, pairs TEXT NOT NULL DEFAULT '[]');   -- code APPLIED = fused
CREATE TABLE diagnostic(id INTEGER PRIMARY KEY, source INTEGER REFERENCES source(id), graph INTEGER REFERENCES graph(id), stage INTEGER REFERENCES stage(id),
                        run INTEGER REFERENCES run(id), uid INTEGER, severity TEXT NOT NULL CHECK(severity IN ('error','warning','info')),
                        audience TEXT NOT NULL CHECK(audience IN ('user','internal')), code TEXT NOT NULL, line INTEGER, col INTEGER,
                        params TEXT NOT NULL DEFAULT '{}', excerpt TEXT);

-- what ran, or was predicted
CREATE TABLE run(id INTEGER PRIMARY KEY, stage INTEGER NOT NULL REFERENCES stage(id), kind TEXT NOT NULL CHECK(kind IN ('predicted','measured')),
                 device TEXT NOT NULL, backend TEXT, mode TEXT NOT NULL, accounting TEXT NOT NULL, seed INTEGER, inputs TEXT, options TEXT NOT NULL DEFAULT '{}',
                 state TEXT NOT NULL CHECK(state IN ('running','complete','failed','interrupted','cancelled')), synthetic INTEGER NOT NULL DEFAULT 0,
                 peak_exact INTEGER, peak_charged INTEGER, peak_seq INTEGER, arena INTEGER, lower_bound INTEGER, events INTEGER, wall_ns INTEGER, created TEXT NOT NULL);
CREATE TABLE mem_event(run INTEGER NOT NULL REFERENCES run(id), seq INTEGER NOT NULL, t_ns INTEGER, kind TEXT NOT NULL, uid INTEGER, call_path INTEGER
                       REFERENCES str(id), storage INTEGER, tenant INTEGER, bytes_exact INTEGER NOT NULL, bytes_charged INTEGER NOT NULL, address_off INTEGER,
                       stream INTEGER NOT NULL DEFAULT 0, live_exact INTEGER NOT NULL, live_charged INTEGER NOT NULL, reserved INTEGER,
                       PRIMARY KEY(run, seq)) WITHOUT ROWID;                       -- kinds: executor.md 4.6
CREATE TABLE mem_storage(run INTEGER NOT NULL REFERENCES run(id), storage INTEGER NOT NULL, birth INTEGER NOT NULL, death INTEGER NOT NULL, uid INTEGER,
                         last_uid INTEGER, role TEXT NOT NULL, type INTEGER REFERENCES type(id), bytes_exact INTEGER NOT NULL, bytes_charged INTEGER NOT NULL,
                         address_off INTEGER, PRIMARY KEY(run, storage)) WITHOUT ROWID;   -- death 2147483647 = never
CREATE TABLE mem_level(run INTEGER NOT NULL REFERENCES run(id), level INTEGER NOT NULL, bucket INTEGER NOT NULL, min_live INTEGER NOT NULL,
                       max_live INTEGER NOT NULL, PRIMARY KEY(run, level, bucket)) WITHOUT ROWID;     -- bucket = 64^level events, level from 1
CREATE TABLE mem_live(run INTEGER NOT NULL REFERENCES run(id), seq INTEGER NOT NULL, storage INTEGER NOT NULL,
                      PRIMARY KEY(run, seq, storage)) WITHOUT ROWID;                -- live after event seq, for every 4096th seq and for peak_seq
CREATE TABLE digest(run INTEGER NOT NULL REFERENCES run(id), uid INTEGER NOT NULL, out INTEGER NOT NULL, call_path INTEGER NOT NULL DEFAULT 0,
                    type INTEGER REFERENCES type(id), hash INTEGER NOT NULL, hash_v INTEGER NOT NULL, min REAL, max REAL, mean REAL, l2 REAL, n_nan INTEGER,
                    n_posinf INTEGER, n_neginf INTEGER, n_zero INTEGER, argmax_abs INTEGER, PRIMARY KEY(run, uid, out, call_path)) WITHOUT ROWID;
CREATE TABLE timing(run INTEGER NOT NULL REFERENCES run(id), uid INTEGER NOT NULL, call_path INTEGER NOT NULL DEFAULT 0, repeat INTEGER NOT NULL,
                    ns INTEGER NOT NULL, PRIMARY KEY(run, uid, call_path, repeat)) WITHOUT ROWID;
CREATE TABLE comparison(id INTEGER PRIMARY KEY, run_a INTEGER NOT NULL REFERENCES run(id), run_b INTEGER NOT NULL REFERENCES run(id), policy TEXT NOT NULL,
                        verdict TEXT NOT NULL, first_uid INTEGER, first_out INTEGER);
CREATE TABLE comparison_row(comparison INTEGER NOT NULL REFERENCES comparison(id), seq INTEGER NOT NULL, uid_a INTEGER, uid_b INTEGER, out INTEGER NOT NULL,
                            verdict TEXT NOT NULL, inherited INTEGER NOT NULL DEFAULT 0, max_abs REAL, max_rel REAL, ulp REAL, at TEXT, a TEXT, b TEXT,
                            PRIMARY KEY(comparison, seq)) WITHOUT ROWID;          -- verdicts: executor.md 5.2
CREATE TABLE probe(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, lane INTEGER REFERENCES lane(id), seq INTEGER NOT NULL, k INTEGER, verdict TEXT NOT NULL,
                   run INTEGER REFERENCES run(id), command TEXT);                  -- bisect and reduce, one row per attempt

-- what a user added, and caches
CREATE TABLE layout(lane INTEGER NOT NULL REFERENCES lane(id), stage INTEGER NOT NULL, params INTEGER NOT NULL, data INTEGER NOT NULL REFERENCES blob(id),
                    PRIMARY KEY(lane, stage, params)) WITHOUT ROWID;               -- packed uid, x, y; droppable
CREATE TABLE note(id INTEGER PRIMARY KEY, graph INTEGER REFERENCES graph(id), lane INTEGER REFERENCES lane(id), stage INTEGER, uid INTEGER,
                  kind TEXT NOT NULL CHECK(kind IN ('note','bookmark','pin')), text TEXT NOT NULL DEFAULT '', created TEXT NOT NULL);
CREATE TABLE ui_state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;    -- ui.md 3.6

CREATE VIEW v_stage AS SELECT s.id AS stage_id, l.name AS lane, s.idx, s.name, s.pass, s.state, s.changed, s.nodes, s.added, s.removed, s.modified, s.clones,
  s.cloned_bytes, s.copies_back, s.copied_back_bytes, s.self_copies, s.rewrites, s.wall_ns/1e6 AS ms FROM stage s JOIN lane l ON l.id = s.lane;
CREATE VIEW v_node AS SELECT s.id AS stage_id, l.name AS lane, s.idx AS stage, n.ord, b.text AS body, n.name, n.kind, o.text AS op, t.text AS type, t.bytes, n.storage,
  m.text AS module, p.text AS file, n.line, n.uid, n.id AS version, n.first_stage, n.last_stage, n.flags
  FROM stage s JOIN lane l ON l.id = s.lane JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx AND n.last_stage >= s.idx JOIN str b ON b.id = n.body
  LEFT JOIN str o ON o.id = n.op LEFT JOIN type t ON t.id = n.type LEFT JOIN str m ON m.id = n.module LEFT JOIN str p ON p.id = n.path;
CREATE VIEW v_edge AS SELECT s.id AS stage_id, u.uid AS from_uid, d.name AS from_name, n.uid AS to_uid, n.name AS to_name, u.arg, u.mode
  FROM stage s CROSS JOIN node n ON n.lane = s.lane AND n.first_stage <= s.idx AND n.last_stage >= s.idx CROSS JOIN use u ON u.node = n.id
  CROSS JOIN node d ON d.lane = s.lane AND d.uid = u.uid AND d.first_stage <= s.idx AND d.last_stage >= s.idx;
CREATE VIEW v_change AS SELECT s.id AS stage_id, n.uid, n.name, CASE WHEN n.first_stage = s.idx AND EXISTS (SELECT 1 FROM node p WHERE p.lane = n.lane AND p.uid = n.uid
  AND p.last_stage = s.idx - 1) THEN '~' WHEN n.first_stage = s.idx THEN '+' ELSE '-' END AS mark FROM stage s JOIN node n ON n.lane = s.lane
  AND (n.first_stage = s.idx OR (n.last_stage = s.idx - 1 AND NOT EXISTS (SELECT 1 FROM node q WHERE q.lane = n.lane AND q.uid = n.uid AND q.first_stage = s.idx))) WHERE s.idx > 1;
CREATE VIEW v_decision AS SELECT d.id, l.name AS lane, s.idx AS stage, s.name AS stage_name, d.node, d.origin, d.op, d.argument, d.verdict, d.need, d.code, d.blocker,
  d.reported_bytes, d.counted, d.cloned_bytes, d.needed_bytes, d.avoided_by FROM decision d JOIN stage s ON s.id = d.stage JOIN lane l ON l.id = s.lane;
CREATE VIEW v_clone AS SELECT * FROM v_node WHERE op LIKE 'aten.clone%';
CREATE VIEW v_member AS SELECT stage_id, storage, name, op, type, uid, ord FROM v_node WHERE storage IS NOT NULL;
CREATE VIEW v_write AS SELECT e.stage_id, d.storage, e.to_name AS writer, e.arg, e.from_name AS value, e.to_uid FROM v_edge e JOIN v_node d ON d.stage_id = e.stage_id
  AND d.uid = e.from_uid WHERE e.mode IN ('write','readwrite');
CREATE VIEW v_history AS SELECT w.uid, l.name AS lane, s.idx AS stage, s.name AS stage_name, r.seq, r.rule, w.side, w.name, r.id AS rewrite
  FROM rewrite_node w JOIN rewrite r ON r.id = w.rewrite JOIN stage s ON s.id = r.stage JOIN lane l ON l.id = s.lane;
CREATE VIEW v_touch AS SELECT lane, uid, min(stage) AS first_touch, max(stage) AS last_touch FROM v_history GROUP BY lane, uid;
CREATE VIEW v_peak AS SELECT r.id AS run, r.kind, r.device, l.name AS lane, s.idx AS stage, r.peak_exact, r.peak_charged, r.peak_seq, e.uid AS at_uid
  FROM run r JOIN stage s ON s.id = r.stage JOIN lane l ON l.id = s.lane LEFT JOIN mem_event e ON e.run = r.id AND e.seq = r.peak_seq;
CREATE VIEW v_holder AS SELECT r.id AS run, m.storage, m.bytes_exact, n.name, o.text AS op, mo.text AS module, p.text AS file, n.line
  FROM run r JOIN stage s ON s.id = r.stage JOIN mem_live v ON v.run = r.id AND v.seq = r.peak_seq JOIN mem_storage m ON m.run = r.id AND m.storage = v.storage
  LEFT JOIN node n ON n.lane = s.lane AND n.uid = m.uid AND n.first_stage <= s.idx AND n.last_stage >= s.idx LEFT JOIN str o ON o.id = n.op
  LEFT JOIN str mo ON mo.id = n.module LEFT JOIN str p ON p.id = n.path;
CREATE VIEW v_divergence AS SELECT c.id AS comparison, c.run_a, c.run_b, r.seq, r.uid_b AS uid, r.out, r.max_abs, r.at, r.a, r.b
  FROM comparison c JOIN comparison_row r ON r.comparison = c.id WHERE r.verdict = 'differs' AND r.inherited = 0;
CREATE VIEW v_unknown_op AS SELECT DISTINCT stage_id, op FROM v_node WHERE flags & 1;    -- flags: 1 no schema, 2 unparsed, 4 ghost, 8 synthetic, 16 elided
