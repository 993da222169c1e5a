namespace Worker.ObjectKeys;

/// <summary>What a piece of a parsed template is.</summary>
internal enum KeyPieceKind
{
    /// <summary>Fixed text within a level.</summary>
    Literal = 0,

    /// <summary>The end of a level.</summary>
    Slash,

    /// <summary>A property as text.</summary>
    Property,

    /// <summary>One field of a property used as a date.</summary>
    DateField,

    /// <summary>The message's id.</summary>
    MessageId,
}
