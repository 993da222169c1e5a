namespace Lab.Alternatives;

/// <summary>The handler's work; the same code in every runner.</summary>
internal enum WorkKind
{
    /// <summary>Deserializes the message and looks at one property.</summary>
    Trivial,

    /// <summary>Reads the header and writes the object key, as the archive does; nothing is stored.</summary>
    Key,

    /// <summary>As Trivial, and suspends once.</summary>
    Suspending,
}
