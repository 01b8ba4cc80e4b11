// A folder of core that has no source yet.
