using System.Runtime.CompilerServices;

namespace Lab.Techniques.ValueTasks;

/// <summary>A method that could suspend but does not, by its return type. None is inlined, so that the caller cannot know that.</summary>
internal static class SynchronousResult
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Task<int> FromResult(int value) => Task.FromResult(value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async Task<int> AsyncTask(int value)
    {
        await Task.CompletedTask;
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ValueTask<int> NewValueTask(int value) => new(value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ValueTask<int> ValueTaskFromResult(int value) => ValueTask.FromResult(value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async ValueTask<int> AsyncValueTask(int value)
    {
        await Task.CompletedTask;
        return value;
    }
}
