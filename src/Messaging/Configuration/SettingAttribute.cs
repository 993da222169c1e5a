namespace Messaging.Configuration;

/// <summary>
/// Declares one configuration key: its description and its allowed values. The reader, the validation, the effective configuration
/// and the reference (docs/reference/configuration.md) are all derived from this attribute.
/// </summary>
/// <param name="description">What the setting is, with its unit.</param>
[AttributeUsage(AttributeTargets.Property)]
public sealed class SettingAttribute(string description) : Attribute
{
    /// <summary>What the setting is, for the reference.</summary>
    public string Description { get; } = description;

    /// <summary>The smallest allowed value, written as in configuration (<c>1</c>, <c>100ms</c>, <c>64KiB</c>).</summary>
    public string? Min { get; init; }

    /// <summary>The largest allowed value, written as in configuration.</summary>
    public string? Max { get; init; }

    /// <summary>What goes wrong outside the range, as one sentence.</summary>
    public string? Consequence { get; init; }

    /// <summary>True for a <see cref="long"/> or <see cref="int"/> that counts bytes and may be written as <c>64MiB</c>.</summary>
    public bool Bytes { get; init; }

    /// <summary>True when the value must never be shown.</summary>
    public bool Secret { get; init; }

    /// <summary>True when there is no default and a value must be configured.</summary>
    public bool Required { get; init; }
}
