//! jemalloc as the allocator of whatever links this crate, set up where it is linked and not by the builder's environment.
//!
//! Records of the journal are made by one thread, kept by a second and given back by a third: the system's allocator pays
//! for that twice. Linux only; elsewhere the crate is empty.
#![cfg(target_os = "linux")]

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// An arena for each core, and memory goes back to the system soon after a burst; a large piece at once, because a list that
/// grows leaves one behind each time, and one request is to take three times its body at most. jemalloc reads the symbol of this name
/// before `main`; which arenas there are cannot be changed later, so that no call at run time takes its place. In C it is
/// a `const char *`, which a reference to an array is too.
#[used]
#[allow(
    unsafe_code,
    reason = "the one symbol that is exported; nothing else defines it, and its bytes end with a zero"
)]
#[unsafe(export_name = "_rjem_malloc_conf")]
static MALLOC_CONF: &[u8; 82] = b"percpu_arena:percpu,dirty_decay_ms:500,muzzy_decay_ms:0,oversize_threshold:262144\0";
