namespace Pipeline.Frames;

/// <summary>A frame whose method returns a value, for the builder, which does not know the method.</summary>
internal interface IResultFrame<in TResult>
{
    void Complete(TResult result);
}
