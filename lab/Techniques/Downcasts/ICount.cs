namespace Lab.Techniques.Downcasts;

/// <summary>Something that counts.</summary>
internal interface ICount
{
    int Count { get; }
}
