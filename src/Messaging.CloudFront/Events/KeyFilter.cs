namespace Messaging.CloudFront.Events;

/// <summary>Which keys of a bucket are logs; an empty part takes all.</summary>
/// <param name="Prefix">What their keys begin with.</param>
/// <param name="Suffix">What their keys end in.</param>
internal readonly record struct KeyFilter(string Prefix, string Suffix)
{
    public bool Takes(string key) => key.StartsWith(Prefix, StringComparison.Ordinal) && key.EndsWith(Suffix, StringComparison.Ordinal);
}
