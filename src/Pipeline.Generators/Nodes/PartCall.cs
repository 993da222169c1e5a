namespace Pipeline.Generators.Nodes;

/// <summary>How a node reaches one method of its part.</summary>
internal enum PartCall
{
    /// <summary>Not at all: the part has only the contract's default, which does nothing.</summary>
    None,

    /// <summary>By the part's own method, so that the JIT sees what it calls.</summary>
    Direct,

    /// <summary>Through the contract: implemented explicitly, by another interface, or hidden by a member of the same name.</summary>
    Interface,
}
