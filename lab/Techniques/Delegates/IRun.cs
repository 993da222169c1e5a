namespace Lab.Techniques.Delegates;

/// <summary>A delegate as a type: a struct that implements it is called without one.</summary>
internal interface IRun
{
    void Run();
}
